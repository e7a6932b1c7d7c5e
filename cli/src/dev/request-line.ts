import type { LogRecord } from '@treadle/api';
import type { Paint } from './dev-paint.js';

/** Digits of a trace id that `treadle traces` and `treadle logs --trace` need to find it. */
export const SHORT_ID = 8;

/** True for a record of the access log. */
export function isRequest({ message, fields = {} }: LogRecord): boolean {
  return message === 'request' && typeof fields['method'] === 'string' && typeof fields['status'] === 'number' && typeof fields['ms'] === 'number';
}

/** `12:03:04.567 GET  /users/7  200  3 ms  GetUser  trace=1b7e66b1` */
export function requestLine({ timestamp, stepName, traceId, fields = {} }: LogRecord, paint: Paint): string {
  const [method, path, status, ms] = ['method', 'path', 'status', 'ms'].map((key) => String(fields[key])) as [string, string, string, string];
  const columns = [
    paint('dim', timestamp.slice(11, 23)), `${method.padEnd(4)} ${path}`, paint(styleOf(Number(status)), status), `${ms} ms`,
    ...(stepName === '' ? [] : [stepName]), paint('dim', shortTrace(traceId)),
  ];
  return columns.join('  ');
}

/** `trace=1b7e66b1`, in the form that the commands take. */
export function shortTrace(traceId: string): string {
  return `trace=${traceId.slice(0, SHORT_ID)}`;
}

function styleOf(status: number): 'green' | 'yellow' | 'red' {
  if (status >= 500) return 'red';
  return status >= 400 ? 'yellow' : 'green';
}
