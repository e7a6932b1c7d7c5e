import type { LogLevel, LogRecord, LogSink } from '@treadle/api';
import { safeRecord } from './safe-record.js';

/** How a person reads the log. */
export interface TerminalSinkOptions {
  readonly write: (text: string) => void;
  readonly color: boolean;
}

const COLORS: Readonly<Record<LogLevel, number>> = { debug: 90, info: 36, warn: 33, error: 31 };
const GREY = 90;
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** Writes records for people: time of day, level, Step, message, fields; a stack follows on lines of its own. */
export function terminalSink(options: TerminalSinkOptions): LogSink {
  const paint = (code: number, text: string): string => (options.color ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { write: (record) => options.write(terminalText(safeRecord(record), paint)) };
}

function terminalText(record: LogRecord, paint: (code: number, text: string) => string): string {
  const { level, message, stepName, timestamp } = record;
  const { stack, fields } = takeStack(record.fields ?? {});
  const columns = [
    paint(GREY, timestamp.slice(11, 23)),
    paint(COLORS[level], level.toUpperCase().padEnd(5)),
    ...(stepName ? [`[${visible(stepName)}]`] : []),
    visible(message),
    ...Object.entries(fields).map(([key, value]) => paint(GREY, `${visible(key)}=${visible(shown(value))}`)),
  ];
  const below = stack.split('\n').filter((line) => line !== '').map((line) => `    ${paint(GREY, visible(line.trimEnd()))}\n`);
  return `${columns.join(' ')}\n${below.join('')}`;
}

/** The stack of an error in the fields is printed below the line instead of within it. */
function takeStack(fields: Readonly<Record<string, unknown>>): { stack: string; fields: Readonly<Record<string, unknown>> } {
  for (const [key, value] of Object.entries(fields)) {
    if (key === 'stack' && typeof value === 'string') return { stack: value, fields: without(fields, 'stack') };
    const stack = (value as { stack?: unknown } | null | undefined)?.stack;
    if (typeof stack === 'string') return { stack, fields: { ...fields, [key]: without(value as object, 'stack') } };
  }
  return { stack: '', fields };
}

function without(object: object, key: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

function shown(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value) ?? 'undefined';
}

function visible(text: string): string {
  return text.replace(CONTROL, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
