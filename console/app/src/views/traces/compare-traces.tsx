import type { ComparedRow, ComparedSpan, TraceComparison, TraceView } from '../../api/types.generated.js';
import { refresh, useApi } from '../../api/use-api.js';
import { useLive } from '../../live/use-live.js';
import { duration } from '../../format/duration.js';
import { Badge } from '../../parts/controls.js';
import { Answer, type Answered, Empty, Failed, Loading, Note } from '../../parts/data-state.js';
import { StepRef, TraceRef } from '../../parts/refs.js';
import { View } from '../../parts/view.js';
import { VirtualList } from '../../parts/virtual-list.js';
import { Link } from '../../url/link.js';
import { paths } from '../../url/paths.js';
import css from './compare-traces.module.css';
import { useComparedSpans } from './use-compared-spans.js';

const ROW = 28;

/** Two traces side by side, aligned by Step and occurrence; with a Step from its last run in each of them on, with `from` from that span of the first and from what ran it once more. */
export function CompareTraces({ a, b, step, from }: { readonly a: string; readonly b: string; readonly step: string; readonly from: string }) {
  const { spans, first, second } = useComparedSpans({ a, b, step, from });
  const answer = useApi('GET /traces/compare', { a, b, ...spans }, { enabled: spans !== undefined, keep: true });
  useLive('traces', { q: `trace:${b}` }, { events: () => refresh('/traces') });
  return (
    <View title="Compare" bar={<><TraceRef id={a} /> with <TraceRef id={b} />{step !== '' && <>from <StepRef step={step} /> on</>}{from === '' && <Link to={paths.comparison(b, a, step)}>Swap</Link>}</>}>
      {spans ? <Answer of={answer} what="the comparison">{(found) => <Compared found={found} />}</Answer> : <NotYet step={step} first={first} second={second} />}
    </View>
  );
}

const NONE = 404;

/** A replay may have no span yet; any other fault is one. */
function NotYet({ step, first, second }: { readonly step: string; readonly first: Answered<TraceView>; readonly second: Answered<TraceView> }) {
  if (first.data === undefined && first.error) return <Failed what="the first trace" error={first.error} onRetry={() => void first.refetch()} />;
  if (second.data === undefined && second.error && second.error.status !== NONE) return <Failed what="the second trace" error={second.error} onRetry={() => void second.refetch()} />;
  if (second.data === undefined && !second.error) return <Loading what="both traces" />;
  return (
    <>
      {second.error && <Note>The second trace: {second.error.message}. It is asked for again and again.</Note>}
      <Empty title={`${step} has not run in both yet`}><p>The comparison begins when it has.</p></Empty>
    </>
  );
}

function Compared({ found }: { readonly found: TraceComparison }) {
  const { a, b, divergence, matched, onlyInA, onlyInB, omitted, rows } = found;
  return (
    <>
      <div className={css.words}>
        <p>{divergence ? <>First difference: <strong>{divergence.row.name}</strong> <Place row={divergence.row} />{words(divergence)}</> : 'No difference but in time.'}</p>
        <p className="muted">{matched} spans in both, {onlyInA} in the first alone, {onlyInB} in the second alone. Settled after {duration(a.durationMs)} and {duration(b.durationMs)}.</p>
      </div>
      {omitted > 0 && <Note>{omitted} further rows are not drawn.</Note>}
      <div className={`${css.line} ${css.head}`} aria-hidden="true"><span>Span</span><span>First</span><span>Second</span><span className="num">Longer</span></div>
      <VirtualList items={rows} keyOf={(_row, at) => at} rowHeight={ROW} label="Spans of both traces" render={(row) => <Row row={row} first={row === divergence?.row || same(row, divergence?.row)} />} />
    </>
  );
}

function Row({ row, first }: { readonly row: ComparedRow; readonly first: boolean }) {
  return (
    <div className={css.line} data-first={first}>
      <span className="truncate" style={{ paddingInlineStart: row.depth * 13 }}>{row.name}{row.occurrence > 1 && <span className="muted"> #{row.occurrence}</span>} <Place row={row} /></span>
      <One span={row.a} /><One span={row.b} />
      <span className="num muted">{row.deltaMs === undefined ? '' : `${row.deltaMs > 0 ? '+' : ''}${duration(row.deltaMs)}`}</span>
    </div>
  );
}

/** What was read, as far as it was the same. */
function Place({ row: { a, b } }: { readonly row: ComparedRow }) {
  const [one = b?.state, other = one] = [a?.state, b?.state];
  if (!one || !other) return null;
  return <><span className="mono muted">{placeOf(one)}{placeOf(one) !== placeOf(other) && ` and ${placeOf(other)}`}</span> </>;
}

const placeOf = ({ group, key }: NonNullable<ComparedSpan['state']>): string => `${group}/${key}`;

function One({ span }: { readonly span: ComparedSpan | undefined }) {
  if (!span) return <span className="muted">not there</span>;
  return <span className="row">{duration(span.durationMs)}{span.status !== undefined && <span className="muted">{span.status}</span>}{span.state && <span className="muted">{span.state.found ? 'a value' : 'nothing'}</span>}{span.error && <Badge tone="bad" title={span.error.message}>{span.error.type}</Badge>}</span>;
}

function words({ reason, row }: NonNullable<TraceComparison['divergence']>): string {
  if (reason === 'only in a') return 'happened in the first trace alone';
  if (reason === 'only in b') return 'happened in the second trace alone';
  if (reason === 'status') return `answered ${row.a?.status ?? 'nothing'} in the first, ${row.b?.status ?? 'nothing'} in the second`;
  if (reason === 'state') return `found ${row.a?.state?.found ? 'a value' : 'nothing'} in the first, ${row.b?.state?.found ? 'a value' : 'nothing'} in the second`;
  if (row.a?.error && row.b?.error) return `failed otherwise: ${row.a.error.message}, and ${row.b.error.message}`;
  const message = row.a?.error?.message ?? row.b?.error?.message ?? '';
  return `failed in the ${row.a?.error ? 'first' : 'second'}: ${message}`;
}

function same(one: ComparedRow, other: ComparedRow | undefined): boolean {
  return other !== undefined && one.a?.spanId === other.a?.spanId && one.b?.spanId === other.b?.spanId;
}
