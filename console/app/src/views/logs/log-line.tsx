import type { LogRecord } from '../../api/types.generated.js';
import { preview } from '../../parts/json-tree.js';
import { Level } from './level.js';
import css from './log-line.module.css';

/** A line of the log in an inspector, with its time from a moment. */
export function LogLine({ line, from }: { readonly line: LogRecord; readonly from: number }) {
  return (
    <li className={css.line}>
      <span className="muted mono">{signed(Math.round(Date.parse(line.timestamp) - from))}</span> <Level level={line.level} /> <span>{line.message}</span> <span className="muted">{fieldWords(line.fields)}</span>
    </li>
  );
}

const signed = (ms: number): string => (ms < 0 ? `−${-ms}` : `+${ms}`);

/** Fields in one line: `ticketId=T-1 attempt=2`. */
export function fieldWords(fields: LogRecord['fields']): string {
  return Object.entries(fields ?? {}).filter(([name]) => name !== 'stack').map(([name, value]) => `${name}=${preview(value, 60)}`).join(' ');
}
