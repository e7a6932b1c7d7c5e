import type { StateItem, StateWrite } from '../../api/types.generated.js';
import { call } from '../../api/client.js';
import { RevisionEditor } from '../../parts/revision-editor.js';
import { refreshKey } from './refresh-key.js';

interface Props {
  readonly group: string;
  /** As it was when the editing began. */
  readonly base: StateItem;
  /** As it is now. */
  readonly current: StateItem;
  readonly onDone: () => void;
}

/** A value of state while it is edited. */
export function ValueEditor({ group, base, current, onDone }: Props) {
  const own = { group, key: base.key };
  const save = async (value: unknown, revision: number): Promise<void> => {
    await call('PUT /state/groups/{group}/keys/{key}', { ...own, body: { value, revision } as StateWrite });
    refreshKey(group, base.key);
  };
  return <RevisionEditor label={`Value of ${base.key}`} verb="Save" saved={`Saved ${base.key}`} {...{ base, current, save, onDone }} read={() => call('GET /state/groups/{group}/keys/{key}', own)} />;
}
