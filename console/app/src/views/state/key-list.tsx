import { useState } from 'react';
import type { StateChange, StateItem } from '../../api/types.generated.js';
import { refresh, usePages } from '../../api/use-api.js';
import { useLive } from '../../live/use-live.js';
import { useTogether } from '../../live/use-together.js';
import { count } from '../../format/numbers.js';
import { useMarks } from '../../keys/use-marks.js';
import { useRowKeys } from '../../keys/use-row-keys.js';
import { ActButton } from '../../parts/act-button.js';
import { Empty, Failed, Fault, Filtered, Loading } from '../../parts/data-state.js';
import { QueryBar } from '../../parts/query-bar.js';
import { VirtualList } from '../../parts/virtual-list.js';
import { useParam } from '../../url/location.js';
import { BulkDialog } from '../queues/bulk-dialog.js';
import { KeyRow } from './key-row.js';
import { NewKey } from './new-key.js';
import { openKey } from './open-key.js';
import css from './state.module.css';

const PAGE = 500;
const ROW = 30;

/** Keys of a group, page by page as the list is scrolled. */
export function KeyList({ group, current }: { readonly group: string; readonly current: string | undefined }) {
  const [prefix, setPrefix] = useParam('prefix');
  const [deleting, setDeleting] = useState(false);
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = usePages('GET /state/groups/{group}/keys', { group, prefix, limit: PAGE });
  const flashed = useFlashes(group);
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const at = items.findIndex((item) => item.key === current);
  const open = (name: string | undefined): void => void (name !== undefined && openKey(group, name, { replace: current !== undefined }));
  const keys = items.map(({ key }) => key);
  const { marked: chosen, clear } = useMarks(keys, at);
  // Nothing is deleted that is not in sight.
  const marked = chosen.filter((key) => keys.includes(key));
  useRowKeys(items.length, at, { onMove: (to) => open(items[to]?.key) });
  return (
    <>
      <div className={css.tools}>
        <QueryBar value={prefix} onQuery={(text) => setPrefix(text)} label="Keys that begin with" example="keys that begin with…" error={error} />
        <span className="muted">{count(items.length)}{hasNextPage && '+'} keys</span>
        <NewKey group={group} />
        {items.length > 0 && <ActButton look="danger" onClick={() => setDeleting(true)}>{marked.length > 0 ? `Delete the ${count(marked.length)} chosen…` : 'Delete…'}</ActButton>}
      </div>
      {data && <Fault of={{ data, error, refetch }} what="keys" />}
      {data === undefined && error ? <Failed what="keys" error={error} onRetry={() => void refetch()} /> : isPending ? <Loading what="keys" />
        : items.length === 0 ? (prefix === '' ? <Empty title="This group has no keys" /> : <Filtered what="keys" query={prefix} onDrop={() => setPrefix(null)} />) : (
          <VirtualList<StateItem>
            items={items} keyOf={(item) => item.key} rowHeight={ROW} label="Keys" role="listbox" current={at} onEnd={() => void (hasNextPage && !isFetchingNextPage && fetchNextPage())}
            render={(item) => <KeyRow item={item} current={item.key === current} marked={marked.includes(item.key)} flashes={flashed.has(item.key)} onOpen={open} />}
          />
        )}
      {deleting && <BulkDialog action="delete" selection={{ kind: 'state-keys', group, ...marked.length > 0 ? { keys: marked } : prefix !== '' && { prefix } }} onClose={() => {
        setDeleting(false);
        clear();
        refresh('/state/groups/{group}/keys');
      }} />}
    </>
  );
}

const FLASH_MS = 1_200;
/** Each time all pages that are loaded are asked for. */
const TOGETHER_MS = 1_000;

/** Keys that were written just now; the list is asked for anew. */
function useFlashes(group: string): ReadonlySet<string> {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const anew = useTogether(() => refresh('GET /state/groups/{group}/keys', { group }), TOGETHER_MS);
  useLive('state', { group }, {
    events: (events) => {
      setKeys(new Set((events as readonly StateChange[]).map((change) => change.key)));
      setTimeout(() => setKeys(new Set()), FLASH_MS);
      anew();
    },
    resumed: () => refresh('/state/groups'),
  });
  return keys;
}
