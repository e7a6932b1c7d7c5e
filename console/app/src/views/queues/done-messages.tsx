import { useQueries } from '@tanstack/react-query';
import type { SpanRow } from '../../api/types.generated.js';
import { asking, refresh, useApi } from '../../api/use-api.js';
import { duration } from '../../format/duration.js';
import { plural } from '../../format/numbers.js';
import { useRowKeys } from '../../keys/use-row-keys.js';
import { useLive } from '../../live/use-live.js';
import { useTogether } from '../../live/use-together.js';
import { Badge } from '../../parts/controls.js';
import { Answer, type Answered, Empty, Loading, Note } from '../../parts/data-state.js';
import { StepRef, TraceRef } from '../../parts/refs.js';
import table from '../../parts/table.module.css';
import { Time } from '../../parts/time.js';
import { withCondition } from '../../parts/with-condition.js';
import { Columns, Content } from '../../parts/view.js';
import { useParam } from '../../url/location.js';
import { NoMessage } from './no-message.js';

/** Traces whose spans are asked for: the latest that the topic was done in. */
const MOST_TRACES = 20;
const MOST_SPANS = 2_000;
/** Longest time from a trace to the list that has it; milliseconds. */
const TOGETHER_MS = 1_000;
const OUTCOMES = ['done', 'skipped'];

/** Messages that were processed, or whose condition was not met: a queue keeps none of them, the traces that are kept do. */
export function DoneMessages({ topic }: { readonly topic: string }) {
  const q = `(${namesOf(topic).map((name) => withCondition('', 'topic', name)).join(' OR ')}) (${OUTCOMES.map((outcome) => `queue.outcome:${outcome}`).join(' OR ')})`;
  const traces = useApi('GET /traces', { q, limit: MOST_TRACES });
  const anew = useTogether(() => refresh('GET /traces', { q }), TOGETHER_MS);
  useLive('traces', { q }, { events: anew, gap: anew, resumed: anew });
  return <Answer of={traces} what="what is done">{({ items, total, note }) => <>{note !== undefined && <Note>{note}</Note>}<Done topic={topic} ids={items.map(({ traceId }) => traceId)} total={total} /></>}</Answer>;
}

function Done({ topic, ids, total }: { readonly topic: string; readonly ids: readonly string[]; readonly total: number }) {
  const [chosen, choose] = useParam('msg');
  const views = useQueries({ queries: ids.map((id) => asking('GET /traces/{id}', { id, limit: MOST_SPANS })) });
  const failed = views.find(({ error }) => error !== null) as Answered<unknown> | undefined;
  const spans = views.flatMap(({ data }) => data?.rows.filter((row) => isDone(row, topic)) ?? []).sort((a, b) => endOf(b) - endOf(a));
  const at = spans.findIndex((span) => messageOf(span) === chosen);
  useRowKeys(spans.length, at, { onMove: (to) => choose(spans[to] ? messageOf(spans[to]) : null, { replace: chosen !== '' }) });
  if (views.some(({ isPending }) => isPending)) return <Loading what="what is done" />;
  return (
    <Columns>
      <Content>
        {failed && <Answer of={failed} what="a trace of the topic">{() => null}</Answer>}
        {spans.length === 0 ? <Empty title="Nothing was done, as far as traces are kept" /> : <Rows spans={spans} current={at} onPick={(span) => choose(messageOf(span))} />}
        {total > ids.length && <p className="muted" style={{ padding: 8 }}>Messages of the latest {ids.length} of {plural(total, 'trace')} are listed.</p>}
      </Content>
      {chosen !== '' && at < 0 && <NoMessage id={chosen} onClose={() => choose(null)} />}
    </Columns>
  );
}

function Rows({ spans, current, onPick }: { readonly spans: readonly SpanRow[]; readonly current: number; readonly onPick: (span: SpanRow) => void }) {
  return (
    <div className={table.scroll} tabIndex={0} role="region" aria-label="Done">
      <table className={table.table}>
        <thead><tr><th>Message</th><th>Consumer</th><th>Outcome</th><th className={`${table.num} ${table.narrow}`}>Attempt</th><th className={table.num}>Took</th><th className={table.narrow}>Done at</th><th>Trace</th></tr></thead>
        <tbody>{spans.map((span, at) => (
          <tr key={span.spanId} data-current={at === current} onClick={() => onPick(span)}>
            <td className="mono">{messageOf(span)}</td><td><StepRef step={span.stepName} /></td><td><Badge tone={outcomeOf(span) === 'done' ? 'ok' : 'plain'}>{outcomeOf(span)}</Badge></td><td className={`${table.num} ${table.narrow}`}>{span.attempt ?? 1}</td><td className={table.num}>{duration(span.durationMs)}</td><td className={table.narrow}><Time at={endOf(span)} /></td><td><TraceRef id={span.traceId} span={span.spanId} /></td>
          </tr>
        ))}</tbody>
      </table>
    </div>
  );
}

/** Changes of state and streams have no topic; their kind stands for it. */
const namesOf = (topic: string): readonly string[] => (topic === '' ? ['state changes', 'stream changes'] : [topic]);

function isDone(span: SpanRow, topic: string): boolean {
  return span.kind === 'consumer' && namesOf(topic).includes(String(span.attributes['messaging.destination.name'])) && OUTCOMES.includes(outcomeOf(span));
}

const outcomeOf = ({ attributes }: SpanRow): string => String(attributes['queue.outcome']);
const messageOf = ({ attributes }: SpanRow): string => String(attributes['messaging.message.id']);
const endOf = ({ startTime, durationMs }: SpanRow): number => startTime + durationMs;
