import { useEffect, useMemo, useState } from 'react';
import type { StreamItem } from '../../api/types.generated.js';
import { refresh, usePages } from '../../api/use-api.js';
import { useRowKeys } from '../../keys/use-row-keys.js';
import { useLive } from '../../live/use-live.js';
import { useTogether } from '../../live/use-together.js';
import { Empty, Loading } from '../../parts/data-state.js';
import { Found } from '../../parts/found.js';
import { preview } from '../../parts/json-tree.js';
import { NotThere } from '../../parts/not-there.js';
import { conditionsFrom } from '../../parts/paths-of.js';
import viewCss from '../../parts/view.module.css';
import { Columns, Inspector } from '../../parts/view.js';
import { VirtualList } from '../../parts/virtual-list.js';
import { pathOf } from '../../url/match-path.js';
import { navigate, searchText, useParam } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { ItemInspector } from './item-inspector.js';

const PAGE = 500;
const ROW = 30;
/** Longest time from an event to the list that has it; milliseconds. */
const TOGETHER_MS = 500;
/** The engine looks at many items for a search. */
const SEARCH_MS = 5_000;
/** Items whose members are offered while a query is typed. */
const SAMPLE = 200;
const FIELDS = ['id:', 'revision:>1', 'group:'];

/** The items of a group as they are now, all page by page as the list is scrolled, or those that a query finds. */
export function StreamItems({ stream, group, id }: { readonly stream: string; readonly group: string; readonly id: string | undefined }) {
  const [q] = useParam('q');
  const answer = usePages('GET /streams/{stream}/groups/{group}', { stream, group, q, limit: PAGE });
  const anew = useTogether(() => refresh('/streams/{stream}/groups', { stream }), q === '' ? TOGETHER_MS : SEARCH_MS);
  useLive('stream', { stream, group }, { events: anew, gap: anew, resumed: () => refresh('/streams') });
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = answer;
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  const at = items.findIndex((item) => item.id === id);
  const missing = id !== undefined && at < 0;
  const looking = isPending || (missing && hasNextPage && !error);
  // There is no question for one item alone.
  useEffect(() => void (missing && hasNextPage && !isFetchingNextPage && !error && fetchNextPage()), [missing, hasNextPage, isFetchingNextPage, error]);
  const open = (item: StreamItem | undefined): void => void (item && navigate(withQuery(pathOf('streams', stream, group, item.id), q), { replace: id !== undefined }));
  useRowKeys(items.length, at, { onMove: (to) => open(items[to]) });
  const all = withQuery(paths.streamGroup(stream, group), q);
  const close = (): void => navigate(all);
  // What somebody types stays when the item is written, deleted or found no more.
  const [editing, setEditing] = useState<StreamItem>();
  const edited = editing?.id === id ? editing : undefined;
  const [selected, current] = [items[at] ?? edited, items[at]];
  const onEnd = q === '' ? { onEnd: () => void (hasNextPage && !isFetchingNextPage && fetchNextPage()) } : {};
  return (
    <Columns>
      <div className={viewCss.anchor}>
        <Found what="items" one="item" example="status:open customer.id:c-1 revision:>1" of={answer} scrolls suggestions={[...FIELDS, ...conditionsFrom(items.slice(0, SAMPLE).map(({ value }) => value))]} empty={<Empty title="No item is in this group now" />}>
          {(found) => (
            <VirtualList<StreamItem> items={found} keyOf={(item) => item.id} rowHeight={ROW} label="Items" role="listbox" current={at} {...onEnd} render={(item) => (
              <div role="option" aria-selected={item.id === id} className={viewCss.rowButton} onClick={() => open(item)}><span className="mono truncate" style={{ flex: '0 1 40%' }}>{item.id}</span><span className="mono muted truncate grow">{preview(item.value)}</span><span className="muted">rev {item.revision}</span></div>
            )} />
          )}
        </Found>
      </div>
      {selected ? <ItemInspector key={selected.id} item={selected} place={{ stream, group }} onClose={close} onEdit={setEditing} {...edited && { edited: { base: edited, current } }} /> : id !== undefined && (data !== undefined || isPending) && (
        <Inspector title={<span className="mono">{id}</span>} onClose={close}>{looking ? <Loading what="the item" /> : <NotThere what="item" name={id} to={paths.streamGroup(stream, group)} list="All items" />}</Inspector>
      )}
    </Columns>
  );
}

function withQuery(path: string, q: string): string {
  return path + searchText(new URLSearchParams(q === '' ? {} : { q }));
}
