import type { StreamItem, StreamWrite } from '../../api/types.generated.js';
import { call } from '../../api/client.js';
import { refresh } from '../../api/use-api.js';
import { ActButton } from '../../parts/act-button.js';
import { JsonTree } from '../../parts/json-tree.js';
import { RevisionEditor } from '../../parts/revision-editor.js';
import { attempt } from '../../parts/toasts.js';
import { Inspector } from '../../parts/view.js';

interface Props {
  readonly item: StreamItem;
  readonly place: { readonly stream: string; readonly group: string };
  /** While it is edited: as it was when that began, and as it is now; undefined: it is not there, or not in sight. */
  readonly edited?: { readonly base: StreamItem; readonly current: StreamItem | undefined };
  readonly onEdit: (item: StreamItem | undefined) => void;
  readonly onClose: () => void;
}

/** One item: as it is, and how to change what clients see. */
export function ItemInspector({ item, place, edited, onEdit, onClose }: Props) {
  const own = { ...place, id: item.id };
  const save = async (value: unknown, revision: number): Promise<void> => {
    await call('PUT /streams/{stream}/groups/{group}/items/{id}', { ...own, body: { value, revision } as StreamWrite });
    refresh('/streams');
  };
  const remove = (): void => void attempt(() => call('DELETE /streams/{stream}/groups/{group}/items/{id}', own), `Deleted ${item.id}`).then(() => refresh('/streams'));
  return (
    <Inspector title={<span className="mono">{item.id}</span>} onClose={onClose}>
      {edited ? <RevisionEditor label="Item" verb="Write to all clients" saved="Written; all clients see it" {...edited} save={save} read={() => call('GET /streams/{stream}/groups/{group}/items/{id}', own)} onDone={() => onEdit(undefined)} /> : (
        <>
          <div className="row wrap"><ActButton look="primary" onClick={() => onEdit(item)}>Edit</ActButton><ActButton look="danger" onClick={remove}>Delete</ActButton></div>
          <JsonTree value={item.value} />
        </>
      )}
    </Inspector>
  );
}
