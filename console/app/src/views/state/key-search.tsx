import type { StateItem } from '../../api/types.generated.js';
import { usePages } from '../../api/use-api.js';
import { useRowKeys } from '../../keys/use-row-keys.js';
import { Empty, Failed, Filtered, Loading } from '../../parts/data-state.js';
import { fitting, LookedAt } from '../../parts/looked-at.js';
import { QueryBar } from '../../parts/query-bar.js';
import { VirtualList } from '../../parts/virtual-list.js';
import { useParam } from '../../url/location.js';
import { KeyRow } from './key-row.js';
import { openKey } from './open-key.js';
import css from './state.module.css';

const PAGE = 200;
const ROW = 30;

interface Props {
  readonly group: string;
  readonly current: string | undefined;
}

/** Keys of a group whose name or value fits a query. */
export function KeySearch({ group, current }: Props) {
  const [q, setQuery] = useParam('q');
  return q === '' ? <><Bar q={q} onQuery={setQuery} /><Empty title="Search names and values"><p>A text, or a member of the value: <code>status:open</code>, <code>total:&gt;100</code>, <code>customer.id:c-1</code>, <code>has:email</code>.</p></Empty></> : <Results key={q} group={group} q={q} current={current} onQuery={setQuery} />;
}

function Bar({ q, onQuery, error = null }: { readonly q: string; readonly onQuery: (q: string) => void; readonly error?: ReturnType<typeof usePages>['error'] }) {
  return <div className={css.tools}><QueryBar value={q} onQuery={onQuery} label="Query names and values" example='status:open customer.id:c-1 "a text"' error={error} /></div>;
}

function Results({ group, q, current, onQuery }: Props & { readonly q: string; readonly onQuery: (q: string | null) => void }) {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = usePages('GET /state/groups/{group}/search', { group, q, limit: PAGE });
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const at = items.findIndex((item) => item.key === current);
  const open = (key: string | undefined): void => void (key !== undefined && openKey(group, key, { replace: current !== undefined }));
  useRowKeys(items.length, at, { onMove: (to) => open(items[to]?.key) });
  const more = (): void => void (hasNextPage && !isFetchingNextPage && fetchNextPage());
  return (
    <>
      <Bar q={q} onQuery={onQuery} error={error} />
      {data && <LookedAt examined={data.pages.reduce((sum, page) => sum + page.examined, 0)} found={fitting(items.length)} more={hasNextPage} busy={isFetchingNextPage} error={error} onMore={more} onAgain={() => void refetch()} />}
      {data === undefined && error ? <Failed what="keys" error={error} onRetry={() => void refetch()} /> : isPending ? <Loading what="keys" />
        : items.length === 0 ? !hasNextPage && <Filtered what="keys" query={q} onDrop={() => onQuery(null)} onQuery={onQuery} />
          : <VirtualList<StateItem> items={items} keyOf={({ key }) => key} rowHeight={ROW} label="Keys that fit" role="listbox" current={at} render={(item) => <KeyRow item={item} current={item.key === current} onOpen={open} />} />}
    </>
  );
}
