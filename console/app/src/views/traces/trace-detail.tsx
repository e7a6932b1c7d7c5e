import { useMemo, useState } from 'react';
import type { SpanRow, TraceView } from '../../api/types.generated.js';
import { refresh, useApi } from '../../api/use-api.js';
import { duration } from '../../format/duration.js';
import { useCommands } from '../../keys/commands.js';
import { useLive } from '../../live/use-live.js';
import { Badge, Button, ButtonLink, Input, Kbd } from '../../parts/controls.js';
import { copying } from '../../parts/copy.js';
import { Answer, Note } from '../../parts/data-state.js';
import { Tabs } from '../../parts/tabs.js';
import { Columns, Content, View } from '../../parts/view.js';
import { Time } from '../../parts/time.js';
import { Link } from '../../url/link.js';
import { navigate, patchSearch, useParam } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { useCapture } from './capture.js';
import { ExportMenu } from './export-menu.js';
import { FlameGraph } from './flame-graph.js';
import { traceMarkdown } from './markdown.js';
import { Minimap } from './minimap.js';
import { PathBar } from './path-bar.js';
import { SpanInspector } from './span-inspector.js';
import { SpanTable } from './span-table.js';
import { StepGraph } from './step-graph.js';
import { Story } from './story.js';
import { descendants, endOf, extentOf, linesOf, replyOf, zoomed } from './timeline.js';
import css from './trace-detail.module.css';
import { useTraceKeys } from './use-trace-keys.js';
import { useZoomKeys } from './use-zoom-keys.js';
import { Waterfall } from './waterfall.js';

const LIMIT = 20_000;
const MODES = [{ id: 'waterfall', title: 'Waterfall' }, { id: 'flame', title: 'Flame' }, { id: 'steps', title: 'Steps' }, { id: 'story', title: 'Story' }, { id: 'table', title: 'Spans' }];

/** One trace until its last effect. */
export function TraceDetail({ traceId }: { readonly traceId: string }) {
  const answer = useApi('GET /traces/{id}', { id: traceId, limit: LIMIT });
  useLive('traces', { q: `trace:${traceId}` }, { events: () => refresh('/traces/{id}', { id: traceId }) });
  return (
    <View title="Trace" bar={<><Link to="/traces">All traces</Link><span className="mono muted truncate">{traceId}</span></>}>
      <Answer of={answer} what="the trace">{(view) => <Detail view={view} />}</Answer>
    </View>
  );
}

/** A trace that is there, of the engine or of a file. */
export function Detail({ view }: { readonly view: TraceView }) {
  const [span, setSpan] = useParam('span');
  const [mode, setMode] = useParam('mode', 'waterfall');
  const [pin, setPin] = useParam('pin');
  const inspected = view.rows.find(({ spanId }) => spanId === (pin || span));
  const pick = (spanId: string): void => setSpan(spanId, { replace: span !== '' });
  const captured = useCapture() !== undefined;
  useCommands(captured ? [] : [{ title: 'Logs of the trace, or of the span that is open', keys: ['l'], run: () => navigate(paths.logs(`trace:${view.traceId}${inspected ? ` span:${inspected.spanId}` : ''}`)) }]);
  const togglePin = (): void => setPin(pin === '' ? span || null : null);
  useCommands([
    ...inspected ? [{ title: 'Pin the span: it stays open while you move', keys: ['Space'], run: togglePin }] : [],
    copying('the trace as Markdown', () => traceMarkdown(view)), copying('the id of the trace', () => view.traceId),
  ]);
  return (
    <>
      <Head view={view} />
      {view.omitted > 0 && <Note>{view.omitted} further spans are not drawn.</Note>}
      <PathBar path={view.path} replyMs={replyOf(view.rows)} onSelect={pick} />
      <Tabs label="How the trace is shown" tabs={MODES} current={mode} onPick={setMode} />
      <Columns>
        <Content>
          {mode === 'flame' ? <FlameGraph rows={view.rows} selected={span} onSelect={pick} /> : mode === 'steps' ? <StepGraph rows={view.rows} selected={span} onSelect={pick} /> : mode === 'story' ? <Story view={view} onSelect={pick} /> : mode === 'table' ? <SpanTable rows={view.rows} selected={span} onSelect={pick} /> : <Spans view={view} selected={span} onSelect={pick} />}
        </Content>
        {inspected && <SpanInspector span={inspected} view={view} pinned={pin !== ''} onPin={togglePin} onClose={() => patchSearch({ span: null, pin: null })} />}
      </Columns>
    </>
  );
}

function Head({ view }: { readonly view: TraceView }) {
  const { rows, traceId, path } = view;
  const captured = useCapture() !== undefined;
  const root = rows[0];
  const end = endOf(rows);
  const reply = replyOf(rows);
  return (
    <div className={css.head}>
      <h2>{root?.name ?? traceId}</h2>
      <Badge tone={end.tone}>{end.words}</Badge>
      {reply !== undefined && <span>reply {duration(reply)}</span>}
      <span>last effect {duration(path.durationMs)}</span>
      <span className="muted">{rows.length} spans, <Time at={path.startTime} /></span>
      <span className="grow" />
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
  const [text, setText] = useState('');
  const [critical, setCritical] = useParam('critical');
  const [hides, setHides] = useParam('others');
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const fits = useMemo(() => matcher(text), [text]);
  const lines = useMemo(() => linesOf(rows, folded, (one) => (critical === '' || one.critical) && (hides === '' || text === '' || fits(one))), [rows, folded, critical, hides, text]);
  const [zoom, setZoom] = useParam('zoom');
  const whole = useMemo(() => extentOf(rows), [rows]);
  const extent = useMemo(() => zoomed(whole, zoom), [whole, zoom]);
  useZoomKeys(whole, extent, (text) => setZoom(text, { replace: true }));
  const fold = (spanId: string): void => setFolded((before) => new Set(before.has(spanId) ? [...before].filter((one) => one !== spanId) : [...before, spanId]));
  const foldBelow = (spanId: string, wanted: boolean): void => {
    const ids = descendants(rows, spanId).filter(({ children }) => children > 0).map((row) => row.spanId);
    setFolded((before) => new Set(wanted ? [...before, ...ids] : [...before].filter((one) => !ids.includes(one))));
  };
  const foldTo = (depth: number): void => setFolded(new Set(rows.filter((row) => row.depth >= depth - 1 && row.children > 0).map(({ spanId }) => spanId)));
  useTraceKeys({ lines, selected, folded, onSelect, fold, foldBelow, foldTo, fits: text === '' ? (one) => one.error !== undefined : fits });
  useCommands([{ title: 'Critical path only', keys: ['c'], run: () => setCritical(critical === '' ? 'only' : null) }]);
  return (
    <>
      <div className={css.tools}>
        <Input type="search" aria-label="Find in the trace" placeholder="Find in the trace" value={text} onChange={(event) => setText(event.target.value)} style={{ width: 200 }} />
        {text !== '' && <Button on={hides !== ''} onClick={() => setHides(hides === '' ? 'hidden' : null)}>Hide others</Button>}
        <Button on={critical !== ''} onClick={() => setCritical(critical === '' ? 'only' : null)}>Critical path only <Kbd>c</Kbd></Button>
        <span className="muted"><Kbd>n</Kbd> next {text === '' ? 'error' : 'match'} · <Kbd>←</Kbd><Kbd>→</Kbd> fold · <Kbd>w</Kbd><Kbd>s</Kbd> zoom</span>
        {extent !== whole && <Button onClick={() => setZoom(null)}>Whole trace</Button>}
      </div>
      <Minimap rows={rows} whole={whole} shown={extent} onZoom={(text) => setZoom(text)} />
      <Waterfall lines={lines} extent={extent} selected={selected} folded={folded} matches={({ span }) => text === '' || fits(span)} onSelect={onSelect} onFold={fold} />
    </>
  );
}

/** A span fits when its name or an attribute has the text. */
function matcher(text: string): (span: SpanRow) => boolean {
  const wanted = text.toLowerCase();
  return ({ name, stepName, attributes, error }) => `${name} ${stepName} ${JSON.stringify(attributes)} ${error?.message ?? ''}`.toLowerCase().includes(wanted);
}
