import { useEffect, useState } from 'react';
import type { SpanRow } from '../../api/types.generated.js';
import { refresh, useApi } from '../../api/use-api.js';
import { duration } from '../../format/duration.js';
import { plural } from '../../format/numbers.js';
import { useLive } from '../../live/use-live.js';
import { Badge, ButtonLink } from '../../parts/controls.js';
import { Failed, Loading } from '../../parts/data-state.js';
import { StepRef, TopicRef } from '../../parts/refs.js';
import { Link } from '../../url/link.js';
import { paths } from '../../url/paths.js';
import { LogLine } from '../logs/log-line.js';
import { endOf } from '../traces/timeline.js';
import css from './endpoints.module.css';
import { WrittenKey } from './written-key.js';

/** So long without a new span, and it counts as settled unless a message waits. */
const QUIET_MS = 1_500;
const ASK_MS = 400;

/** Everything that a request caused, growing until it has settled. */
export function Effects({ traceId, at }: { readonly traceId: string; readonly at: string }) {
  const trace = useApi('GET /traces/{id}', { id: traceId, limit: 5000 }, { keep: true });
  const logs = useApi('GET /logs', { traceId, limit: 500, order: 'asc' }, { keep: true });
  const spans = trace.data?.rows.length ?? 0;
  const settled = useSettled(traceId, spans, Date.parse(at), trace.data ? endOf(trace.data.rows).tone === 'warn' : true);
  if (!trace.data) return trace.error && settled ? <Failed what="the trace" error={trace.error} /> : <Loading what="the effects" />;
  const { rows, path } = trace.data;
  const end = endOf(rows);
  const steps = [...new Set(rows.filter(({ name }) => name.startsWith('handler ')).map(({ stepName }) => stepName))];
  const keys = new Set(written(rows).map(({ attributes }) => `${String(attributes['state.group'])}/${String(attributes['state.key'])}`));
  return (
    <div className={css.effects}>
      <div className="row wrap" role="status"><Badge tone={settled ? end.tone : 'info'}>{settled ? `Settled in ${duration(path.durationMs)}` : 'Running'}</Badge><p><Link to={`${paths.trace(traceId)}?mode=steps`}>{plural(steps.length, 'Step')}</Link>, <Link to={`${paths.trace(traceId)}?mode=story`}>{plural(keys.size, 'key')} written</Link>, <Link to={paths.logs(`trace:${traceId}`)}>{plural(logs.data?.items.length ?? 0, 'log')}</Link>{end.tone !== 'ok' && settled && `; ${end.words}`}</p><ButtonLink to={paths.trace(traceId)}>Waterfall</ButtonLink></div>
      <h3>Steps</h3><ul>{rows.filter(({ name }) => name.startsWith('handler ')).map((span) => <li key={span.spanId}><Badge tone={span.error ? 'bad' : 'ok'}>{span.error ? 'failed' : 'ok'}</Badge><StepRef step={span.stepName} /><Link to={paths.trace(traceId, span.spanId)}>{duration(span.durationMs)}</Link><span className="muted">at +{duration(Math.max(0, span.startTime - path.startTime))}{Number(span.attributes['step.attempt'] ?? 1) > 1 && `, attempt ${String(span.attributes['step.attempt'])}`}</span>{span.error && <span>{span.error.message}</span>}</li>)}</ul>
      {keys.size > 0 && <><h3>State written</h3><ul>{written(rows).map((span) => <WrittenKey key={span.spanId} span={span} traceId={traceId} />)}</ul></>}
      <Messages rows={rows} />
      {logs.data && logs.data.items.length > 0 && <><h3>Logs</h3><ul>{logs.data.items.map((line) => <LogLine key={line.id} line={line} from={path.startTime} />)}</ul></>}
    </div>
  );
}

function ask(traceId: string): void {
  refresh('/traces/{id}', { id: traceId });
  refresh('GET /logs', { traceId });
}

/** Asks again as spans come; true when none came for a while. */
function useSettled(traceId: string, spans: number, began: number, waits: boolean): boolean {
  const [quiet, setQuiet] = useState(() => Date.now() - began > QUIET_MS * 4);
  useLive('traces', { q: `trace:${traceId}` }, { events: () => ask(traceId) });
  useEffect(() => {
    if (quiet && !waits) return undefined;
    const asking = setInterval(() => ask(traceId), ASK_MS);
    const timer = setTimeout(() => setQuiet(true), QUIET_MS);
    return () => {
      clearInterval(asking);
      clearTimeout(timer);
    };
  }, [spans, quiet, waits, traceId]);
  return quiet && !waits;
}

function written(rows: readonly SpanRow[]): readonly SpanRow[] {
  return rows.filter(({ attributes }) => attributes['state.key'] !== undefined && !/^get|^list/.test(String(attributes['state.operation'])));
}

function Messages({ rows }: { readonly rows: readonly SpanRow[] }) {
  const sent = rows.filter(({ kind }) => kind === 'producer');
  const streams = rows.filter(({ attributes }) => attributes['stream.name'] !== undefined);
  return (
    <>
      {sent.length > 0 && <><h3>Messages</h3><ul>{sent.map(({ spanId, attributes, stepName }) => <li key={spanId}><TopicRef topic={String(attributes['messaging.destination.name'])} /><span className="muted">by {stepName}</span></li>)}</ul></>}
      {streams.length > 0 && <><h3>Streams</h3><ul>{streams.map(({ spanId, name, attributes }) => <li key={spanId}><Badge>{name.replace('stream.', '')}</Badge><Link className="mono" to={paths.streamGroup(String(attributes['stream.name']), String(attributes['stream.group']))}>{String(attributes['stream.name'])}/{String(attributes['stream.group'])}</Link><span className="mono muted truncate">{String(attributes['stream.id'] ?? '')}</span></li>)}</ul></>}
    </>
  );
}
