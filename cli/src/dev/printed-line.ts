import type { LogRecord } from '@treadle/api';
import { plain } from '../admin/show.js';
import type { Paint } from './dev-paint.js';
import { shortTrace } from './request-line.js';

/** True for what a Step process printed: a handler, or a module while it is loaded. */
export function isPrinted({ message, stepName, fields = {} }: LogRecord): boolean {
  if (fields['stream'] !== 'stdout' && fields['stream'] !== 'stderr') return false;
  return stepName === '' ? message === 'worker output' && typeof fields['line'] === 'string' : Object.keys(fields).length === 1;
}

/** `12:03:04.567 [Greet] what was printed  trace=1b7e66b1`; without Step and trace outside of handlers. */
export function printedLine({ timestamp, stepName, message, traceId, fields = {} }: LogRecord, paint: Paint): string {
  const text = stepName === '' ? String(fields['line']) : message;
  const shown = text.split(/([\n\t])/).map((part) => (/^[\n\t]$/.test(part) ? part : plain(part))).join('');
  const columns = [
    paint('dim', timestamp.slice(11, 23)), ...(stepName === '' ? [] : [`[${plain(stepName)}]`]),
    fields['stream'] === 'stderr' ? paint('yellow', shown) : shown, ...(stepName === '' ? [] : [paint('dim', ` ${shortTrace(traceId)}`)]),
  ];
  return columns.join(' ');
}
