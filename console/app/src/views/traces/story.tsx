import type { LogPage, TraceView } from '../../../../src/contract/index.js';
import { useApi } from '../../api/use-api.js';
import { duration } from '../../format/duration.js';
import { Answer } from '../../parts/data-state.js';
import { type Happening, happenings } from './happenings.js';
import css from './story.module.css';

const MOST_LOGS = 1_000;

/** What happened, one line each, in the order of time. */
export function Story({ view, onSelect }: { readonly view: TraceView; readonly onSelect: (spanId: string) => void }) {
  const logs = useApi<LogPage>('/logs', { traceId: view.traceId, limit: MOST_LOGS, order: 'asc' });
  return (
    <Answer of={logs} what="the logs of the trace">
      {({ items }) => (
        <ol className={css.story} tabIndex={0} aria-label="Story">
          {happenings(view.rows, items).map((one) => <Line key={one.key} one={one} from={view.path.startTime} onSelect={onSelect} />)}
        </ol>
      )}
    </Answer>
  );
}

function Line({ one, from, onSelect }: { readonly one: Happening; readonly from: number; readonly onSelect: (spanId: string) => void }) {
  return (
    <li className={one.bad ? css.bad : undefined}>
      <span className={css.at}>+{duration(Math.max(0, one.at - from))}</span><span aria-hidden="true">{one.mark}</span>
      <button type="button" className={css.what} onClick={() => onSelect(one.spanId)}>{one.step && <span className="muted">{one.step} </span>}{one.text}</button>
    </li>
  );
}
