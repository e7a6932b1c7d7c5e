import { useMemo } from 'react';
import type { LogPage, TraceView } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';
import { classes } from '../../parts/controls.js';
import { Answer } from '../../parts/data-state.js';
import { useRested } from '../../parts/use-rested.js';
import { VirtualList } from '../../parts/virtual-list.js';
import { WrittenChange } from '../state/written-change.js';
import { useCapture, useTraceLogs } from './capture.js';
import { FirstLines } from './first-lines.js';
import { type Happening, happenings } from './happenings.js';
import css from './story.module.css';

const ROW = 26;
/** With what a write changed, which comes later: mostly one line. */
const WRITE_ROW = 53;

/** What happened, one line each, in the order of time. */
export function Story({ view, onSelect }: { readonly view: TraceView; readonly onSelect: (spanId: string) => void }) {
  const logs = useTraceLogs(view.traceId);
  return (
    <Answer of={logs} what="the logs of the trace">
      {(page) => <><FirstLines of={page} traceId={view.traceId} /><Lines view={view} items={page.items} onSelect={onSelect} /></>}
    </Answer>
  );
}

function Lines({ view, items, onSelect }: { readonly view: TraceView; readonly items: LogPage['items']; readonly onSelect: (spanId: string) => void }) {
  const lines = useMemo(() => happenings(view.rows, items), [view.rows, items]);
  const captured = useCapture() !== undefined;
  return <VirtualList<Happening> items={lines} keyOf={({ key }) => key} rowHeight={({ write }) => (write && !captured ? WRITE_ROW : ROW)} measured label="Story" render={(one) => <Line one={one} from={view.path.startTime} captured={captured} onSelect={onSelect} />} />;
}

interface LineProps {
  readonly one: Happening;
  readonly from: number;
  /** The engine is not asked for more. */
  readonly captured: boolean;
  readonly onSelect: (spanId: string) => void;
}

function Line({ one, from, captured, onSelect }: LineProps) {
  const rested = useRested();
  return (
    <div className={classes(css.line, one.bad && css.bad)}>
      <span className={css.at}>+{duration(Math.max(0, one.at - from))}</span><span aria-hidden="true">{one.mark}</span>
      <button type="button" className={css.what} onClick={() => onSelect(one.spanId)}>{one.step && <span className="muted">{one.step} </span>}{one.text}</button>
      {one.write && !captured && <div className={css.more}>{rested && <WrittenChange span={one.write} />}</div>}
    </div>
  );
}
