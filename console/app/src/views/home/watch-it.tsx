import type { SpanRow, TraceSummary } from '../../api/types.generated.js';
import { Panel } from '../../parts/controls.js';
import { Link } from '../../url/link.js';
import { paths } from '../../url/paths.js';
import { SmallWaterfall } from '../traces/small-waterfall.js';
import { TraceRow } from '../traces/trace-row.js';
import css from './home.module.css';

const GHOSTS = [['the request', 0, 24], ['your handler', 3, 19], ['waiting in the queue', 24, 30], ['the next Step', 54, 32]] as const;

/** A waterfall of what will come, and the real one once it is there. */
export function WatchIt({ latest, rows }: { readonly latest: TraceSummary | undefined; readonly rows: readonly SpanRow[] }) {
  return (
    <Panel title={<>2 · Watch it run</>}>
      {latest ? <><p>The latest run. <Link to={paths.trace(latest.traceId)}>Open its waterfall</Link></p><div className={css.runs}><div><TraceRow trace={latest} longest={latest.durationMs} current={false} marked={false} /></div></div><SmallWaterfall traceId={latest.traceId} rows={rows} /></> : (
        <><p className="muted">It appears here by itself when the first span arrives.</p><ul className={css.ghost} aria-hidden="true">{GHOSTS.map(([name, left, width]) => <li key={name}><span>{name}</span><span style={{ marginInlineStart: `${left}%`, width: `${width}%` }} /></li>)}</ul></>
      )}
    </Panel>
  );
}
