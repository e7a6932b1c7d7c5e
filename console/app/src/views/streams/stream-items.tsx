import { useState } from 'react';
import type { StreamGroupPage, StreamItem } from '../../../../src/contract/index.js';
import { call } from '../../api/client.js';
import { readJson, writeJson } from '../../api/json.js';
import { refresh, useApi } from '../../api/use-api.js';
import { useRowKeys } from '../../keys/use-row-keys.js';
import { useLive } from '../../live/use-live.js';
import { Button } from '../../parts/controls.js';
import { Answer, Empty, Note } from '../../parts/data-state.js';
import { JsonEditor } from '../../parts/json-editor.js';
import { faultOf } from '../../parts/json-fault.js';
import { JsonTree, preview } from '../../parts/json-tree.js';
import { attempt } from '../../parts/toasts.js';
import viewCss from '../../parts/view.module.css';
import { Columns, Inspector } from '../../parts/view.js';
import { VirtualList } from '../../parts/virtual-list.js';
import { pathOf } from '../../url/match-path.js';
import { navigate } from '../../url/location.js';
import { paths } from '../../url/paths.js';

const LIMIT = 1_000;
const ROW = 30;

/** The items of a group as they are now. */
export function StreamItems({ stream, group, id }: { readonly stream: string; readonly group: string; readonly id: string | undefined }) {
  const route = `/streams/${encodeURIComponent(stream)}/groups/${encodeURIComponent(group)}`;
  const answer = useApi<StreamGroupPage>(route, { limit: LIMIT });
  useLive('stream', { stream, group }, { events: () => refresh(`/streams/${encodeURIComponent(stream)}`), resumed: () => refresh('/streams') });
  return <Answer of={answer} what="items">{(page) => <Items page={page} stream={stream} group={group} id={id} route={route} />}</Answer>;
}

interface ItemsProps {
  readonly page: StreamGroupPage;
  readonly stream: string;
  readonly group: string;
  readonly id: string | undefined;
  readonly route: string;
}

function Items({ page: { items, cursor }, stream, group, id, route }: ItemsProps) {
  const at = items.findIndex((item) => item.id === id);
  const open = (item: StreamItem | undefined): void => void (item && navigate(pathOf('streams', stream, group, item.id), { replace: id !== undefined }));
  useRowKeys(items.length, at, { onMove: (to) => open(items[to]) });
  const selected = items[at];
  return (
    <Columns>
      <div className={viewCss.anchor}>
        {cursor !== undefined && <Note>The first {LIMIT} items are shown.</Note>}
        {items.length === 0 ? <Empty title="No item is in this group now" /> : (
          <VirtualList<StreamItem> items={items} keyOf={(item) => item.id} rowHeight={ROW} label="Items" role="listbox" current={at} render={(item) => (
            <div role="option" aria-selected={item.id === id} className={viewCss.rowButton} onClick={() => open(item)}><span className="mono truncate" style={{ flex: '0 1 40%' }}>{item.id}</span><span className="mono muted truncate grow">{preview(item.value)}</span><span className="muted">rev {item.revision}</span></div>
          )} />
        )}
      </div>
      {selected && <ItemInspector key={`${selected.id} ${selected.revision}`} item={selected} route={route} onClose={() => navigate(paths.streamGroup(stream, group))} />}
    </Columns>
  );
}

function ItemInspector({ item, route, onClose }: { readonly item: StreamItem; readonly route: string; readonly onClose: () => void }) {
  const [text, setText] = useState<string>();
  const fault = text === undefined ? undefined : faultOf(text);
  const own = `${route}/items/${encodeURIComponent(item.id)}`;
  const change = (action: () => Promise<unknown>, done: string): void => void attempt(action, done).then(() => refresh('/streams'));
  return (
    <Inspector title={<span className="mono">{item.id}</span>} onClose={onClose}>
      <div className="row wrap">
        {text === undefined ? <Button look="primary" onClick={() => setText(writeJson(item.value, 2))}>Edit</Button> : <Button look="primary" disabled={fault !== undefined} onClick={() => change(() => call(own, { method: 'PUT', body: { value: readJson(text) } }), 'Written; all clients see it')}>Write to all clients</Button>}
        {text !== undefined && <Button onClick={() => setText(undefined)}>Cancel</Button>}
        <Button look="danger" onClick={() => change(() => call(own, { method: 'DELETE' }), `Deleted ${item.id}`)}>Delete</Button>
      </div>
      {text === undefined ? <JsonTree value={item.value} /> : <JsonEditor label="Item" value={text} onChange={setText} />}
      {fault && <p role="alert" className="muted">{fault}</p>}
    </Inspector>
  );
}
