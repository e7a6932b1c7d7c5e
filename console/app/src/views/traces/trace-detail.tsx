import { useMemo } from 'react';
import type { SpanRow, TraceView } from '../../api/types.generated.js';
import { refresh } from '../../api/use-api.js';
import { duration } from '../../format/duration.js';
import { plural } from '../../format/numbers.js';
import { useCommands } from '../../keys/commands.js';
import { useLive } from '../../live/use-live.js';
import { Badge, Button, ButtonLink, Input, Kbd } from '../../parts/controls.js';
import { copying } from '../../parts/copy.js';
import { Countdown } from '../../parts/countdown.js';
import { Answer, Fault, Note } from '../../parts/data-state.js';
import { Tabs } from '../../parts/tabs.js';
import { NotThere } from '../../parts/not-there.js';
import { Columns, Content, Inspector, View } from '../../parts/view.js';
import { Time } from '../../parts/time.js';
import { Link } from '../../url/link.js';
import { navigate, patchSearch, useParam, withSearch } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { WatchButton } from '../../watches/watch-button.js';
import { useCapture } from './capture.js';
import { ExportMenu } from './export-menu.js';
import { FlameGraph } from './flame-graph.js';
import { traceMarkdown } from './markdown.js';
import { Minimap } from './minimap.js';
import { NoSpans } from './no-spans.js';
import { PathBar } from './path-bar.js';
import { SpanInspector } from './span-inspector.js';
import { SpanTable } from './span-table.js';
import { StepGraph } from './step-graph.js';
import { Story } from './story.js';
import { endOf, extentOf, linesOf, replyOf, type TraceEnd, zoomed } from './timeline.js';
import css from './trace-detail.module.css';
import { useFoldedGaps } from './use-folded-gaps.js';
import { useFolds } from './use-folds.js';
import { usePathEnd } from './use-path-end.js';
import { useTrace } from './use-trace.js';
import { useTraceKeys } from './use-trace-keys.js';
import { useZoomKeys } from './use-zoom-keys.js';
import { Waterfall } from './waterfall.js';

const WATERFALL = 'waterfall';
const MODES = [{ id: WATERFALL, title: 'Waterfall' }, { id: 'flame', title: 'Flame' }, { id: 'steps', title: 'Steps' }, { id: 'story', title: 'Story' }, { id: 'table', title: 'Spans' }];

/** One trace until its last effect. */
export function TraceDetail({ traceId }: { readonly traceId: string }) {
  const { answer, loads } = useTrace(traceId);
  useLive('traces', { q: `trace:${traceId}` }, { events: () => refresh('/traces/{id}', { id: traceId }) });
  return (
    <View title="Trace" bar={<><Link to="/traces">All traces</Link><span className="mono muted truncate">{traceId}</span></>}>
      <Answer of={answer} what="the trace">{(view) => <Detail view={view} loads={loads} />}</Answer>
    </View>
  );
}

/** A trace that is there, of the engine or of a file. `loads`: its first spans, and the rest is on its way. */
export function Detail({ view: whole, loads = false }: { readonly view: TraceView; readonly loads?: boolean }) {
  const { toggle: onEnd, isReply, asked, ...end } = usePathEnd(whole);
  const view = useMemo(() => ({ ...whole, rows: end.rows }), [whole, end.rows]);
  const [span, setSpan] = useParam('span');
  const [mode, setMode] = useParam('mode', WATERFALL);
  const [pin, setPin] = useParam('pin');
  const inspected = view.rows.find(({ spanId }) => spanId === (pin || span));
  const pick = (spanId: string): void => setSpan(spanId, { replace: span !== '' });
  const captured = useCapture() !== undefined;
  useCommands(captured ? [] : [{ title: 'Logs of the trace, or of the span that is open', keys: ['l'], run: () => navigate(paths.logs(`trace:${view.traceId}${inspected ? ` span:${inspected.spanId}` : ''}`)) }]);
  const close = (): void => patchSearch({ span: null, pin: null });
  const togglePin = (): void => setPin(pin === '' ? span || null : null);
  useCommands([
    ...inspected ? [{ title: 'Pin the span: it stays open while you move', keys: ['Space'], run: togglePin }] : [],
    copying('the trace as Markdown', () => traceMarkdown(view)), copying('the id of the trace', () => view.traceId),
  ]);
  return (
    <>
      <Head view={view} loads={loads} />
      <Fault of={asked} what="the path until the reply" />
      {view.omitted > 0 && !loads && <Note>{view.omitted} further spans are not drawn.</Note>}
      <PathBar path={end.path} replyMs={replyOf(view.rows)} isReply={isReply} onEnd={onEnd} onSelect={pick} />
      <Tabs label="How the trace is shown" tabs={MODES} current={mode} onPick={setMode} />
      <Columns>
        <Content>
          {mode === 'flame' ? <FlameGraph rows={view.rows} selected={span} onSelect={pick} /> : mode === 'steps' ? <StepGraph rows={view.rows} selected={span} onSelect={pick} /> : mode === 'story' ? <Story view={view} onSelect={pick} /> : mode === 'table' ? <SpanTable rows={view.rows} selected={span} onSelect={pick} /> : <Spans view={view} selected={span} onSelect={pick} />}
        </Content>
        {inspected ? <SpanInspector span={inspected} view={view} pinned={pin !== ''} onPin={togglePin} onClose={close} /> : (pin || span) !== '' && <Inspector title={pin || span} onClose={close}><NotThere what="span" name={pin || span} to={withSearch({ span: null, pin: null })} list="All spans of the trace">{view.omitted > 0 ? 'It may be one of those that are not drawn.' : undefined}</NotThere></Inspector>}
      </Columns>
    </>
  );
}

function Head({ view, loads }: { readonly view: TraceView; readonly loads: boolean }) {
  const { rows, traceId, path } = view;
  const captured = useCapture() !== undefined;
  const root = rows[0];
  const end = useMemo((): TraceEnd => (loads ? { tone: 'info', words: 'loading the rest' } : endOf(rows)), [rows, loads]);
  const reply = replyOf(rows);
  return (
    <div className={css.head}>
      <h2>{root?.name ?? traceId}</h2>
      <Badge tone={end.tone}>{end.words}</Badge>
      {end.nextAt !== undefined && !captured && <Countdown to={end.nextAt} />}
      {reply !== undefined && <span>reply {duration(reply)}</span>}
      <span>last effect {duration(path.durationMs)}</span>
      <span className="muted">{plural(rows.length + view.omitted, 'span')}, <Time at={path.startTime} /></span>
      <span className="grow" />
      {end.tone === 'warn' && !captured && <WatchButton watch={{ kind: 'trace', id: traceId, name: root?.name ?? traceId }} title="Notify when settled" />}
      <ExportMenu view={view} />
      {!captured && <ButtonLink to={paths.logs(`trace:${traceId}`)}>Logs</ButtonLink>}
    </div>
  );
}

interface SpansProps {
  readonly view: TraceView;
  readonly selected: string;
  readonly onSelect: (spanId: string) => void;
}

function Spans({ view: { rows }, selected, onSelect }: SpansProps) {
  const [text, setText] = useParam('find');
  const [critical, setCritical] = useParam('critical');
  const [hides, setHides] = useParam('others');
  const { folded, fold, foldBelow, foldTo } = useFolds(rows);
  const fits = useMemo(() => matcher(text), [text]);
  const lines = useMemo(() => linesOf(rows, folded, (one) => (critical === '' || one.critical) && (hides === '' || text === '' || fits(one))), [rows, folded, critical, hides, text]);
  const [zoom, setZoom] = useParam('zoom');
  const whole = useMemo(() => extentOf(rows), [rows]);
  const extent = useMemo(() => zoomed(whole, zoom), [whole, zoom]);
  const idle = useFoldedGaps(rows, whole, extent);
  useZoomKeys(idle.whole, idle.shown, (text) => setZoom(text, { replace: true }));
  useTraceKeys({ lines, selected, folded, onSelect, fold, foldBelow, foldTo, fits: text === '' ? (one) => one.error !== undefined : fits });
  useCommands([{ title: 'Critical path only', keys: ['c'], run: () => setCritical(critical === '' ? 'only' : null) }]);
  return (
    <>
      <div className={css.tools}>
        <Input type="search" aria-label="Find in the trace" placeholder="Find in the trace" value={text} onChange={(event) => setText(event.target.value, { replace: true })} style={{ width: 200 }} />
        {text !== '' && <Button on={hides !== ''} onClick={() => setHides(hides === '' ? 'hidden' : null)}>Hide others</Button>}
        <Button on={critical !== ''} onClick={() => setCritical(critical === '' ? 'only' : null)}>Critical path only <Kbd>c</Kbd></Button>
        <span className="muted"><Kbd>n</Kbd> next {text === '' ? 'error' : 'match'} · <Kbd>←</Kbd><Kbd>→</Kbd> fold · <Kbd>w</Kbd><Kbd>s</Kbd> zoom</span>
        {idle.any && <Button on={!idle.isOpen} onClick={idle.toggleAll}>Fold idle time <Kbd>i</Kbd></Button>}
        {extent !== whole && <Button onClick={() => setZoom(null)}>Whole trace</Button>}
      </div>
      <Minimap rows={rows} whole={idle.whole} shown={idle.shown} onZoom={(text) => setZoom(text)} />
      {lines.length === 0 ? <NoSpans text={hides === '' ? '' : text} critical={critical !== ''} onOthers={() => setHides(null)} onWhole={() => setCritical(null)} /> : <Waterfall lines={lines} whole={idle.whole} scale={idle.shown} selected={selected} folded={folded} matches={({ span }) => text === '' || fits(span)} onSelect={onSelect} onFold={fold} onZoom={setZoom} onUnfold={idle.unfold} />}
    </>
  );
}

/** A span fits when its name or an attribute has the text. */
function matcher(text: string): (span: SpanRow) => boolean {
  const wanted = text.toLowerCase();
  return ({ name, stepName, attributes, error }) => `${name} ${stepName} ${JSON.stringify(attributes)} ${error?.message ?? ''}`.toLowerCase().includes(wanted);
}
