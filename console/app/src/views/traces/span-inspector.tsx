import type { SpanRow, TraceView } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';
import { writeJson } from '../../api/json.js';
import { useCommands } from '../../keys/commands.js';
import { useEditorKey } from '../../keys/use-editor-key.js';
import { Badge, Button, ButtonLink, Kbd, Pairs } from '../../parts/controls.js';
import { copying } from '../../parts/copy.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Answer } from '../../parts/data-state.js';
import { JsonTree } from '../../parts/json-tree.js';
import { FileRef, KeyRef, StepRef, TopicRef, TraceRef } from '../../parts/refs.js';
import { Tabs } from '../../parts/tabs.js';
import { Time } from '../../parts/time.js';
import { Inspector } from '../../parts/view.js';
import { LogLine } from '../logs/log-line.js';
import { isWrite } from '../state/written.js';
import { WrittenKey } from '../state/written-key.js';
import { useParam } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { useCapture, useTraceLogs } from './capture.js';
import { FirstLines } from './first-lines.js';
import { handlerOf, ReplayPanel } from './replay-panel.js';
import { SpanAttributes } from './span-attributes.js';
import { Excerpt } from '../flows/excerpt.js';
import { frameLine } from '../flows/frame-line.js';
import { Stack } from './stack.js';
import { descendants, nextAttemptOf } from './timeline.js';

/** Keys of a span whose values are asked for. */
const MOST_CHANGES = 30;

interface Props {
  readonly span: SpanRow;
  readonly view: TraceView;
  /** It stays while another span is chosen. */
  readonly pinned: boolean;
  readonly onPin: () => void;
  readonly onClose: () => void;
}

/** What one span was: where in the code, what it said, what it touched. */
export function SpanInspector({ span, view, pinned, onPin, onClose }: Props) {
  const [wanted, setTab] = useParam('tab', 'overview');
  const below = descendants(view.rows, span.spanId);
  const handler = /^(?:server|consumer)$/.test(span.kind) || span.name.startsWith('handler ') ? handlerOf(below) : undefined;
  const tab = wanted === 'input' && !handler ? 'overview' : wanted;
  const logs = useTraceLogs(span.traceId);
  const captured = useCapture() !== undefined;
  useCommands([copying('the id of the span', () => span.spanId), copying('the span as JSON', () => writeJson(span, 2))]);
  useEditorKey(codeOf(span).file, codeOf(span).line);
  const ids = new Set(below.map(({ spanId }) => spanId));
  const lines = logs.data?.items.filter(({ spanId }) => ids.has(spanId)) ?? [];
  const more = (logs.data?.total ?? 0) > (logs.data?.items.length ?? 0);
  const tabs = [{ id: 'overview', title: 'Overview' }, ...handler ? [{ id: 'input', title: 'Input' }] : [], { id: 'logs', title: 'Logs', count: logs.data && lines.length, more }, { id: 'attributes', title: 'Attributes', count: Object.keys(span.attributes).length }, { id: 'raw', title: 'Raw' }];
  return (
    <Inspector title={<>{span.name}{span.error && <Badge tone="bad">{span.error.type}</Badge>}</>} onClose={onClose} tools={<Button look="plain" on={pinned} onClick={onPin}>{pinned ? 'Pinned' : 'Pin'} <Kbd>Space</Kbd></Button>}>
      <Tabs label="Of the span" tabs={tabs} current={tab} onPick={setTab} />
      {tab === 'overview' && <Overview span={span} from={view.path.startTime} touched={below} onReplay={captured ? undefined : handler && (() => setTab('input'))} captured={captured} />}
      {tab === 'input' && handler && <ReplayPanel key={handler.spanId} handler={handler} keyed />}
      {tab === 'logs' && <Answer of={logs} what="its logs">{(page) => <>{more && <FirstLines of={page} traceId={span.traceId} />}{lines.length > 0 ? <ul>{lines.map((line) => <LogLine key={line.id} line={line} from={span.startTime} />)}</ul> : !more && <p className="muted">Nothing was logged in this span or below it.</p>}</>}</Answer>}
      {tab === 'attributes' && <SpanAttributes of={span} />}
      {tab === 'raw' && <><CopyButton text={() => JSON.stringify(span, null, 2)} /><JsonTree value={span} /></>}
    </Inspector>
  );
}

function codeOf({ attributes }: SpanRow): { readonly file?: string; readonly line?: number } {
  const file = attributes['code.file.path'];
  const line = Number(attributes['code.line.number']) || undefined;
  return file === undefined ? {} : { file: String(file), ...line !== undefined && { line } };
}

interface OverviewProps {
  readonly span: SpanRow;
  readonly from: number;
  readonly touched: readonly SpanRow[];
  readonly onReplay: (() => void) | undefined;
  /** Of a file: what leads to the engine's lists is left out. */
  readonly captured: boolean;
}

function Overview({ span, from, touched, onReplay, captured }: OverviewProps) {
  const { attributes, error, stepName } = span;
  const text = (name: string): string | undefined => (attributes[name] === undefined ? undefined : String(attributes[name]));
  const { file, line } = codeOf(span);
  const failedAt = stepName === '' || file === undefined ? undefined : frameLine(error?.stack ?? '', file);
  const topic = text('messaging.destination.name');
  const nextAttempt = nextAttemptOf(span);
  const keys = [...new Map(touched.filter((row) => row.attributes['state.key'] !== undefined).map((row) => [`${row.name} ${String(row.attributes['state.key'])} ${row.spanId}`, row])).values()];
  return (
    <>
      {error && <><p><strong>{error.type}</strong>: {error.message}</p>{failedAt !== undefined && !captured && <Excerpt step={stepName} line={failedAt} />}{error.stack && <Stack text={error.stack} />}</>}
      <Pairs items={[
        ['Took', duration(span.durationMs)], ['Began', `${duration(span.startTime - from)} after the beginning`],
        span.wait && ['Waited', `${duration(span.wait.durationMs)} ${span.wait.kind === 'backoff' ? 'for this attempt' : 'in the queue'}`],
        stepName !== '' && ['Step', <StepRef key="step" step={stepName} />], file !== undefined && ['Code', <FileRef key="file" file={file} line={line} />],
        topic !== undefined && topic !== 'state changes' && ['Topic', <TopicRef key="topic" topic={topic} />], text('messaging.message.id') !== undefined && ['Message', <span key="id" className="mono">{text('messaging.message.id')}</span>],
        span.attempt !== undefined && ['Attempt', `${span.attempt}${text('queue.outcome') === undefined ? '' : `, ${text('queue.outcome')}`}`], nextAttempt !== undefined && ['Next attempt', <Time key="next" at={nextAttempt} />], ['Kind', span.kind], span.unattached && ['Unattached', span.unattached],
      ]} />
      {keys.length > 0 && <><h3>State touched</h3><ul className="stack">{keys.map((row, at) => (!captured && at < MOST_CHANGES && isWrite(row) ? <WrittenKey key={row.spanId} span={row} /> : <TouchedKey key={row.spanId} span={row} />))}</ul></>}
      <Links span={span} />
      {!captured && <div className="row wrap">
        {onReplay && <Button look={error ? 'primary' : undefined} onClick={onReplay}>Run again…</Button>}
        {stepName !== '' && <ButtonLink to={paths.traces(`step:${stepName}`)}>Traces of the Step</ButtonLink>}
        {stepName !== '' && <ButtonLink to={paths.logs(`trace:${span.traceId} step:${stepName}`)}>Its logs</ButtonLink>}
        {text('queue.outcome') === 'dead' && <ButtonLink look="primary" to={paths.topic(topic ?? '', 'dead')}>Dead letters</ButtonLink>}
      </div>}
    </>
  );
}

/** Spans of other traces that this one belongs to. */
function Links({ span: { links = [] } }: { readonly span: SpanRow }) {
  if (links.length === 0) return null;
  return <p className="row wrap">Linked to {links.map((link) => <TraceRef key={link} id={link.slice(3, 35)} span={link.slice(36, 52)} />)}</p>;
}

/** One that was read, or of which the engine is not asked what it was. */
function TouchedKey({ span }: { readonly span: SpanRow }) {
  return <li className="row wrap"><Badge>{String(span.attributes['state.operation'])}</Badge><KeyRef group={String(span.attributes['state.group'])} name={String(span.attributes['state.key'])} /><Revisions span={span} /></li>;
}

function Revisions({ span: { attributes } }: { readonly span: SpanRow }) {
  const [before, after] = [attributes['state.rev.before'], attributes['state.rev.after']];
  if (after === undefined) return null;
  return <span className="muted">{before === undefined ? `revision ${String(after)}` : `revision ${String(before)} → ${String(after)}`}</span>;
}
