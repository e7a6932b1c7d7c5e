import type { LogRecord } from '@treadle/api';

/** How an export writes records. */
export interface LogFormat {
  readonly contentType: string;
  /** Of the file that a browser keeps. */
  readonly file: string;
  /** Before the first record. */
  readonly head: string;
  /** One record with its line end. */
  record(record: LogRecord & { readonly id: number }): string;
  /** Stands where so many were let go before they were read. */
  dropped(count: number): string;
}

const NO_TRACE = /^0*$/;
/** What a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

const ndjson: LogFormat = {
  contentType: 'application/x-ndjson', file: 'logs.ndjson', head: '',
  record: (record) => `${JSON.stringify(record)}\n`,
  dropped: (count) => `{"dropped":${count}}\n`,
};

/** RFC 4180; fields as JSON in the last column. A cell that a spreadsheet would run begins with an apostrophe. */
const csv: LogFormat = {
  contentType: 'text/csv; charset=utf-8', file: 'logs.csv', head: 'timestamp,level,step,message,trace,span,fields\r\n',
  record: ({ timestamp, level, stepName, message, traceId, spanId, fields }) => (
    `${[timestamp, level, stepName, message, idText(traceId), idText(spanId), fields === undefined ? '' : JSON.stringify(fields)].map(cell).join(',')}\r\n`),
  dropped: (count) => `,,,${count} records were let go before they were read,,,\r\n`,
};

/** A line each, as `treadle logs` prints them but for the date. */
const text: LogFormat = {
  contentType: 'text/plain; charset=utf-8', file: 'logs.txt', head: '',
  record: ({ timestamp, level, stepName, message, traceId, fields = {} }) => {
    const pairs = Object.entries({ ...fields, ...idText(traceId) === '' ? {} : { trace: traceId } }).map(([name, value]) => `${name}=${typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)}`);
    return `${[timestamp, level.toUpperCase().padEnd(5), ...stepName === '' ? [] : [`[${stepName}]`], oneLine(message), ...pairs].join(' ')}\n`;
  },
  dropped: (count) => `… ${count} records were let go before they were read\n`,
};

export const LOG_FORMATS = { ndjson, csv, text } as const;

function idText(id: string): string {
  return NO_TRACE.test(id) ? '' : id;
}

function cell(value: string): string {
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function oneLine(message: string): string {
  return message.replaceAll('\n', '\\n').replaceAll('\r', '\\r');
}
