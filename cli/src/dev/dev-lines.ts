import type { LogFields, LogLevel, LogRecord } from '@treadle/api';
import { catalogLines } from './catalog-lines.js';
import { isPrinted, printedLine } from './printed-line.js';
import { isRequest, requestLine } from './request-line.js';
import type { Paint } from './dev-paint.js';

type Words = (fields: LogFields, paint: Paint, level: LogLevel) => string | undefined;

/** What the engine's records are in words: an empty text is not shown, undefined leaves the record as it is. */
const WORDS: Readonly<Record<string, Words>> = {
  'engine started': () => '',
  'store is open': () => '',
  'Python Steps run': (fields, paint) => paint('dim', `Python ${text(fields['version'])} runs the Python Steps (${text(fields['python'])})`),
  'module started': () => '',
  // That there is no Python is told by the diagnostic of the files that need it.
  'status changed': (fields) => (fields['status'] === 'ok' || fields['instance'] === 'modules::runtime::adapters::Python' ? '' : undefined),
  ready,
  // The command's own question for its link.
  'admin request': ({ path }) => (path === '/api/v1/session/link' ? '' : undefined),
  'catalog changed': catalogLines,
  'a Step has a problem': problem,
  'configuration warning': problem,
  'no Step has a problem any more': (_fields, paint) => paint('green', 'no problems left'),
  'configuration reloaded': () => '',
  reloaded: (fields, paint) => `configuration reloaded\n${addresses(fields, paint)}`,
  'configuration refused; the running one stays': (_fields, paint) => paint('dim', 'the running configuration stays'),
  stopping: (fields, paint) => paint('dim', fields['reason'] !== undefined ? text(fields['reason']) : `stopping (${text(fields['signal'])}); press Ctrl-C again to stop at once`),
  'engine stopped': (fields, paint) => paint('dim', `stopped in ${text(fields['ms'])} ms`),
};

/** The lines for a record of the engine: undefined when it has no words of its own, empty when it is not shown. */
export function devLines(record: LogRecord, paint: Paint): string | undefined {
  const { level, message, fields = {}, stepName } = record;
  if (isRequest(record)) return requestLine(record, paint);
  if (isPrinted(record)) return printedLine(record, paint);
  // What a Step says under the same words stays what it is.
  if (stepName !== '') return undefined;
  return Object.hasOwn(WORDS, message) ? WORDS[message]?.(fields, paint, level) : undefined;
}

function ready(fields: LogFields, paint: Paint): string {
  const head = `${paint('bold', text(fields['application']))} is ready in ${text(fields['ms'])} ms; Ctrl-C stops it`;
  return `${paint('green', '●')} ${head}\n${addresses(fields, paint)}`;
}

/** Addresses that nobody opens. */
const UNSHOWN: ReadonlySet<string> = new Set(['worker-tcp']);

/** One line for each address that can be opened; sockets between processes are nobody's business here. */
function addresses(fields: LogFields, paint: Paint): string {
  const shown = Object.entries(fields).filter(([name, value]) => !UNSHOWN.has(name) && /^(https?|wss?):\/\//.test(String(value)));
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `  ${name.padEnd(width)}  ${paint('cyan', String(value))}`).join('\n');
}

/** A diagnostic or configuration warning in the one form of errors. */
function problem(fields: LogFields, paint: Paint, level: LogLevel): string {
  const severity = level === 'error' ? 'error' : 'warning';
  const columns = [fields['at'], severity, fields['code'], fields['problem']].filter((part) => part !== undefined).map(text);
  const advice = fields['remedy'] ?? fields['hint'];
  return paint('error', columns.join('  ') + (advice === undefined ? '' : `\n    hint: ${text(advice)}`));
}

function text(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
