import { useState } from 'react';
import type { TraceGroup, TraceGroups as Groups } from '../../api/types.generated.js';
import { refresh, useApi } from '../../api/use-api.js';
import { duration } from '../../format/duration.js';
import { count, plural } from '../../format/numbers.js';
import { useRowKeys } from '../../keys/use-row-keys.js';
import { useLive } from '../../live/use-live.js';
import { useTogether } from '../../live/use-together.js';
import { Badge, Button, ButtonLink } from '../../parts/controls.js';
import { Answer, Empty, Filtered, Note } from '../../parts/data-state.js';
import table from '../../parts/table.module.css';
import { Time } from '../../parts/time.js';
import { VirtualTable } from '../../parts/virtual-table.js';
import { navigate, patchSearch } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { askedField } from './group-choice.js';
import { GROUP_FIELDS, queryOfGroup } from './grouping.js';
import css from './trace-groups.module.css';

const MOST = 500;
const ROW = 38;
const EVERY_MS = 2_000;

interface Props {
  readonly by: string;
  readonly q: string;
  readonly from: string;
  readonly to: string;
}

/** Traces by the values of a field. The engine counts over everything that is kept and fits. */
export function TraceGroups({ by, q, from, to }: Props) {
  const field = askedField(by);
  const answer = useApi('GET /traces/groups', { by: field, q, from, to, limit: MOST }, { keep: true, enabled: field !== '' });
  const again = useTogether(() => refresh('GET /traces/groups'), EVERY_MS);
  useLive('traces', { ...q !== '' && { q }, limit: '1' }, { events: again, resumed: again }, from === '' && to === '' && field !== '');
  if (field === '') return <Empty title="Name an attribute"><p>Any attribute that a span has, such as <code>state.group</code> or one that a handler set.</p></Empty>;
  const filtered = q !== '' || from !== '' || to !== '';
  return (
    <Answer of={answer} what="groups of traces">
      {(groups) => (groups.total === 0 && filtered ? <Filtered what="traces" query={q} onDrop={() => navigate(`/traces?by=${encodeURIComponent(by)}`)} onQuery={(query) => patchSearch({ q: query })} onAllTimes={from === '' && to === '' ? undefined : () => patchSearch({ from: null, to: null })} /> : <Found groups={groups} by={field} q={q} />)}
    </Answer>
  );
}

function Found({ groups: { items, total, without, omitted, note }, by, q }: { readonly groups: Groups; readonly by: string; readonly q: string }) {
  // Groups change places while traces come.
  const [meant, setMeant] = useState<string>();
  const at = items.findIndex(({ value }) => value === meant);
  const show = (group: TraceGroup | undefined): void => {
    const query = group && queryOfGroup(q, by, group.value);
    if (query !== undefined) patchSearch({ by: null, q: query });
  };
  useRowKeys(items.length, at, { onMove: (to) => setMeant(items[to]?.value), onOpen: (index) => show(items[index]) });
  const title = GROUP_FIELDS.find((field) => field.by === by)?.title ?? by;
  if (items.length === 0) return <Empty title={total === 0 ? 'Nothing recorded yet' : `None of the ${count(total)} traces has ${title === by ? `“${by}”` : title}`} />;
  return (
    <>
      {note && <Note>{note}</Note>}
      {(without > 0 || omitted > 0) && <Note>{[...without > 0 ? [`${count(without)} of ${plural(total, 'trace')} ${without === 1 ? 'has' : 'have'} no such value`] : [], ...omitted > 0 ? [`${count(omitted)} rarer values are not shown`] : []].join('; ')}.</Note>}
      <VirtualTable<TraceGroup>
        items={items} keyOf={({ value }) => value} label={`Traces by ${title}, the most frequent first`} rowHeight={ROW} current={at}
        head={<><th>{title}</th><th className={table.num}>Traces</th><th className={table.narrow}>Share</th><th className={table.num}>Failed</th><th className={table.num}>p50</th><th className={`${table.num} ${table.narrow}`}>p95</th><th className={`${table.num} ${table.narrow}`}>Longest</th><th className={table.narrow}>Latest</th><th /></>}
        render={(group) => <Cells group={group} total={total} onShow={queryOfGroup(q, by, group.value) === undefined ? undefined : () => show(group)} />}
      />
    </>
  );
}

function Cells({ group: { value, count: traces, failed, p50Ms, p95Ms, longestMs, lastAt, latest }, total, onShow }: { readonly group: TraceGroup; readonly total: number; readonly onShow: (() => void) | undefined }) {
  const part = (of: number): string => `${(of / total) * 100}%`;
  return (
    <>
      <td className={`${css.value} truncate`} title={value}>{value === '' ? <span className="muted">empty</span> : value}</td><td className={table.num}>{count(traces)}</td>
      <td className={table.narrow}><span className={css.share} role="img" aria-label={`${Math.round((traces / total) * 100)} % of the traces, ${Math.round((failed / traces) * 100)} % of them failed`}><span className={css.failed} style={{ width: part(failed) }} /><span style={{ width: part(traces) }} /></span></td>
      <td className={table.num}>{failed > 0 ? <Badge tone="bad">{count(failed)}</Badge> : '0'}</td>
      <td className={table.num}>{duration(p50Ms)}</td><td className={`${table.num} ${table.narrow}`}>{duration(p95Ms)}</td><td className={`${table.num} ${table.narrow}`}>{duration(longestMs)}</td>
      <td className={table.narrow}><Time at={lastAt} /></td>
      <td><span className="row">{onShow && <Button onClick={onShow}>Show</Button>}<ButtonLink to={paths.trace(latest)}>Latest</ButtonLink></span></td>
    </>
  );
}
