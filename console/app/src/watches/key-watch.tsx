import type { StateChange } from '../api/types.generated.js';
import { refresh, useApi } from '../api/use-api.js';
import { useLive } from '../live/use-live.js';
import { preview } from '../parts/json-tree.js';
import { paths } from '../url/paths.js';
import { WatchChip } from './watch-chip.js';

const LONGEST = 60;
const NONE = 404;

/** One value of state, as it is now. */
export function KeyWatch({ group, name, onLeave }: { readonly group: string; readonly name: string; readonly onLeave: () => void }) {
  const { data, error, isPending } = useApi('GET /state/groups/{group}/keys/{key}', { group, key: name });
  const again = (): void => refresh('GET /state/groups/{group}/keys/{key}', { group, key: name });
  useLive('state', { group, key: name }, { events: (events) => void ((events as readonly StateChange[]).length > 0 && again()), resumed: again });
  const isGone = error?.status === NONE;
  const [tone, word, version] = isPending ? ['plain', '…', ''] as const : isGone ? ['warn', 'no value', 'none'] as const : error ? ['bad', 'not known', ''] as const : ['info', `rev ${data?.revision ?? ''}`, String(data?.revision)] as const;
  return <WatchChip to={paths.stateKey(group, name)} name={`${group}/${name}`} tone={tone} word={word} version={version} onLeave={onLeave}>{data && !isGone && <span className="mono muted truncate">{preview(data.value, LONGEST)}</span>}</WatchChip>;
}
