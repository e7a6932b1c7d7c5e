import { useCallback, useMemo, useRef, useState } from 'react';
import type { TracePage, TraceSummary } from '../../api/types.generated.js';
import { useApi } from '../../api/use-api.js';
import { count, plural } from '../../format/numbers.js';
import { useCommands } from '../../keys/commands.js';
import { useMarks } from '../../keys/use-marks.js';
import { useRowKeys } from '../../keys/use-row-keys.js';
import { useWindowKeys } from '../../keys/use-window-keys.js';
import { Button, ButtonLink, Kbd } from '../../parts/controls.js';
import { copying } from '../../parts/copy.js';
import { Answer, Empty, Filtered, Note } from '../../parts/data-state.js';
import { QueryBar } from '../../parts/query-bar.js';
import { TimeRange } from '../../parts/time-range.js';
import viewCss from '../../parts/view.module.css';
import { View } from '../../parts/view.js';
import { type ListHandle, VirtualList } from '../../parts/virtual-list.js';
import { navigate, patchSearch, useParam } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { GroupChoice } from './group-choice.js';
import css from './trace-list.module.css';
import { TraceGroups } from './trace-groups.js';
import { TraceRow } from './trace-row.js';
import { TraceScatter } from './trace-scatter.js';
import { useLiveTraces } from './use-live-traces.js';

const ROW = 34;
const PAGE = 200;
/** Chosen traces that a query may name. */
const MOST_ALONE = 40;
/** Most traces that come at a time, four times a second: nobody could read more. */
const FOLLOWED = 50;
const SUGGESTIONS = ['status:error', 'status:ok', 'duration:>200ms', 'retries:>0', 'has:error', 'http.status:5xx', 'trigger:http', 'trigger:cron', 'trigger:queue', '-"handler stream"'];

/** Traces, the latest first. New ones come in at the top while it is in sight. */
export function TraceList() {
  const [q, setQuery] = useParam('q');
  const [from] = useParam('from');
  const [to] = useParam('to');
  const [by] = useParam('by');
  const answer = useApi('GET /traces', { q, from, to, limit: PAGE }, { keep: true });
  const note = useApi('GET /meta').data?.notes.traces;
  useWindowKeys();
  return (
    <View title="Traces" bar={<><QueryBar value={q} onQuery={setQuery} label="Query traces" example="step:Notify* status:error duration:>200ms" suggestions={SUGGESTIONS} error={answer.error} /><GroupChoice /><TimeRange /><ButtonLink to="/traces/capture">Open a capture</ButtonLink></>}>
      {(note ?? answer.data?.note) && <Note>{answer.data?.note ?? note}</Note>}
      {by !== '' ? <TraceGroups key={by} by={by} q={q} from={from} to={to} /> : <Answer of={answer} what="traces">{(page) => <Found page={page} q={q} from={from} to={to} />}</Answer>}
    </View>
  );
}

interface FoundProps {
  readonly page: TracePage;
  readonly q: string;
  readonly from: string;
  readonly to: string;
}

function Found({ page, q, from, to }: FoundProps) {
  const ranged = from !== '' || to !== '';
  const { items, fresh, take, setEdge, gap, came, older } = useLiveTraces(page, { q, from, to, enabled: !ranged, atATime: FOLLOWED });
  const [at, setAt] = useState(-1);
  const list = useRef<ListHandle>(null);
  const open = useCallback((index: number) => void (items[index] && navigate(paths.trace(items[index].traceId))), [items]);
  const ids = useMemo(() => items.map(({ traceId }) => traceId), [items]);
  const { marked, clear } = useMarks(ids, at);
  const current = ids[at];
  const toLive = (): void => {
    take();
    list.current?.toStart();
  };
  useRowKeys(items.length, at, { onMove: setAt, onOpen: open });
  useCommands([
    ...marked.length === 2 ? [{ title: 'Compare the two traces', keys: ['c'], run: () => navigate(compareLink(marked)) }] : [],
    ...current === undefined ? [] : [copying('the id of the trace', () => current)],
    { title: 'Jump to live', keys: ['G'], run: toLive },
  ]);
  const longest = useMemo(() => Math.max(1, ...items.map(({ durationMs }) => durationMs)), [items]);
  if (items.length === 0) return q === '' && !ranged ? <NothingYet /> : <Filtered what="traces" query={q} onDrop={() => navigate('/traces')} onQuery={(query) => patchSearch({ q: query })} onAllTimes={ranged ? () => patchSearch({ from: null, to: null }) : undefined} />;
  return (
    <div className={viewCss.anchor}>
      <TraceScatter items={items} q={q} />
      <p className={css.extent}>{extentWords(items.length, page.total + came)}</p>
      {gap > 0 && <Note>{count(gap)} updates came faster than they may be sent; the list may lack some. <Button look="plain" onClick={take}>Ask again</Button></Note>}
      <Head />
      <VirtualList<TraceSummary>
        items={items} keyOf={({ traceId }) => traceId} rowHeight={ROW} label="Traces" current={at} handle={list} onAtStart={setEdge} onEnd={older}
        render={(trace, index) => <TraceRow trace={trace} longest={longest} current={index === at} marked={marked.includes(trace.traceId)} />}
      />
      {marked.length > 0 && <div className={`${viewCss.pill} row`}><ButtonLink look="primary" to={marked.length === 2 ? compareLink(marked) : paths.traces(marked.slice(0, MOST_ALONE).map((id) => `trace:${id}`).join(' OR '))}>{marked.length === 2 ? <>Compare the two <Kbd>c</Kbd></> : marked.length === 1 ? <>One chosen; <Kbd>x</Kbd> on another compares</> : <>Show the {Math.min(marked.length, MOST_ALONE)} alone</>}</ButtonLink><Button onClick={clear}>Choose none</Button></div>}
      {fresh > 0 && marked.length === 0 && <div className={viewCss.pill}><Button look="primary" onClick={toLive}>{count(fresh)} new · jump to live <Kbd>G</Kbd></Button></div>}
    </div>
  );
}

/** How many of all that fit are shown. */
function extentWords(shown: number, all: number): string {
  if (shown >= all) return shown === 1 ? 'The one trace is drawn and listed' : `All ${count(shown)} traces are drawn and listed`;
  return `The latest ${count(shown)} of ${plural(all, 'trace')} are drawn and listed; the list loads on at its end`;
}

function compareLink([a = '', b = '']: readonly string[]): string {
  return paths.comparison(a, b);
}

function Head() {
  return (
    <div className={`${css.line} ${css.head}`} aria-hidden="true">
      <span>Status</span><span>Root</span><span className={css.wide}>Steps</span><span className={`${css.wide} num`}>Reply</span><span className="num">Settled</span><span className={`${css.wide} num`}>Spans</span><span className={css.wide}>Duration</span><span className={css.wide}>Started</span>
    </div>
  );
}

function NothingYet() {
  return <Empty title="Nothing recorded yet"><p>A trace appears for each request, message, cron run and change.</p><ButtonLink to="/endpoints" look="primary">Send the first request</ButtonLink></Empty>;
}
