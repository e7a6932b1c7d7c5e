import type { LogRecord, SpanRow } from '../../api/types.generated.js';
import { refresh, useApi } from '../../api/use-api.js';
import { duration } from '../../format/duration.js';
import { atLeast, count, plural } from '../../format/numbers.js';
import { Badge, ButtonLink } from '../../parts/controls.js';
import { Countdown } from '../../parts/countdown.js';
import { Failed, Fault, Former, Loading, Note } from '../../parts/data-state.js';
import { StepRef, TopicRef } from '../../parts/refs.js';
import { Link } from '../../url/link.js';
import { paths } from '../../url/paths.js';
import { LogLine } from '../logs/log-line.js';
import { isWrite } from '../state/written.js';
import { WrittenKey } from '../state/written-key.js';
import { endOf } from '../traces/timeline.js';
import { useSettled } from '../traces/use-settled.js';
import { WatchButton } from '../../watches/watch-button.js';
import css from './endpoints.module.css';

/** Everything that a request caused, growing until it has settled. */
export function Effects({ traceId, at }: { readonly traceId: string; readonly at: string }) {
  const trace = useApi('GET /traces/{id}', { id: traceId, limit: 5000 }, { keep: true });
  const logs = useApi('GET /logs', { traceId, limit: 500, order: 'asc' }, { keep: true });
  const spans = trace.data ? trace.data.rows.length + trace.data.omitted : 0;
  const settled = useSettled(traceId, { spans, since: Date.parse(at), waits: trace.data ? endOf(trace.data.rows).tone === 'warn' : trace.error === null, onAsk: () => refresh('GET /logs', { traceId }) });
  const logged = { lines: logs.data?.items ?? [], total: logs.data?.total ?? 0, traceId };
  if (!trace.data) {
    if (!trace.error || !settled) return <Loading what="the effects" />;
    // Not recorded is no failure: what was logged may be there all the same.
    return trace.error.status === 404 ? <div className={css.effects}><Note>{trace.error.message}</Note><Fault of={logs} what="what was logged" /><Logs {...logged} from={Date.parse(at)} /></div> : <Failed what="the trace" error={trace.error} />;
  }
  const { rows, path, omitted } = trace.data;
  const end = endOf(rows);
  const steps = [...new Set(rows.filter(({ name }) => name.startsWith('handler ')).map(({ stepName }) => stepName))];
  const keys = new Set(rows.filter(isWrite).map(({ attributes }) => `${String(attributes['state.group'])}/${String(attributes['state.key'])}`));
  return (
    <div className={css.effects}>
      <Fault of={trace} what="the trace" /><Fault of={logs} what="what was logged" />
      <Former of={trace} />
      <div className="row wrap" role="status"><Badge tone={settled || end.tone === 'warn' ? end.tone : 'info'}>{settled ? `Settled in ${duration(path.durationMs)}` : end.tone === 'warn' ? 'Waiting' : 'Running'}</Badge><p><Link to={`${paths.trace(traceId)}?mode=steps`}>{atLeast(steps.length, omitted > 0, 'Step')}</Link>, <Link to={`${paths.trace(traceId)}?mode=story`}>{atLeast(keys.size, omitted > 0, 'key')} written</Link>, <Link to={paths.logs(`trace:${traceId}`)}>{plural(logged.total, 'log')}</Link>{end.tone !== 'ok' && (settled || end.tone === 'warn') && `; ${end.words}`} {end.nextAt !== undefined && <Countdown to={end.nextAt} />}</p><ButtonLink to={paths.trace(traceId)}>Waterfall</ButtonLink>{!settled && <WatchButton watch={{ kind: 'trace', id: traceId, name: rows[0]?.name ?? traceId }} title="Notify when settled" />}</div>
      {omitted > 0 && <Note>{plural(omitted, 'further span')} of the trace {omitted === 1 ? 'is' : 'are'} not listed here. <Link to={paths.trace(traceId)}>Open the trace</Link></Note>}
      <h3>Steps</h3><ul>{rows.filter(({ name }) => name.startsWith('handler ')).map((span) => <li key={span.spanId}><Badge tone={span.error ? 'bad' : 'ok'}>{span.error ? 'failed' : 'ok'}</Badge><StepRef step={span.stepName} /><Link to={paths.trace(traceId, span.spanId)}>{duration(span.durationMs)}</Link><span className="muted">at +{duration(Math.max(0, span.startTime - path.startTime))}{Number(span.attributes['step.attempt'] ?? 1) > 1 && `, attempt ${String(span.attributes['step.attempt'])}`}</span>{span.error && <span>{span.error.message}</span>}</li>)}</ul>
      {keys.size > 0 && <><h3>State written</h3><ul>{rows.filter(isWrite).map((span) => <WrittenKey key={span.spanId} span={span} />)}</ul></>}
      <Messages rows={rows} />
      <Logs {...logged} from={path.startTime} />
    </div>
  );
}

function Logs({ lines, total, traceId, from }: { readonly lines: readonly LogRecord[]; readonly total: number; readonly traceId: string; readonly from: number }) {
  return lines.length > 0 && <><h3>Logs</h3>{total > lines.length && <Note>The first {count(lines.length)} of {count(total)} lines. <Link to={paths.logs(`trace:${traceId}`)}>All of them</Link></Note>}<ul>{lines.map((line) => <LogLine key={line.id} line={line} from={from} />)}</ul></>;
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
