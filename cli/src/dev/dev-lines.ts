import type { LogFields, LogLevel, LogRecord } from '@treadle/api';
import { count } from '../terminal/table.js';
import type { DevOutputOptions } from './dev-output.js';

type Paint = DevOutputOptions['paint'];
type Words = (fields: LogFields, paint: Paint, level: LogLevel) => string | undefined;

/** What the engine's records are in words: an empty text is not shown, undefined leaves the record as it is. */
const WORDS: Readonly<Record<string, Words>> = {
  'engine started': () => '',
  'module started': () => '',
  'status changed': (fields) => (fields['status'] === 'ok' ? '' : undefined),
  ready,
  'catalog changed': catalogChanged,
  'a Step has a problem': problem,
  'configuration warning': problem,
  'all Steps are in order again': (_fields, paint) => paint('green', 'all Steps are in order again'),
  'configuration reloaded': () => '',
  reloaded: (fields, paint) => `configuration reloaded\n${addresses(fields, paint)}`,
  'configuration refused; the running one stays': (_fields, paint) => paint('dim', 'the running configuration stays'),
  stopping: (fields, paint) => paint('dim', `stopping (${text(fields['signal'])}); once more ends at once`),
  'engine stopped': (fields, paint) => paint('dim', `stopped in ${text(fields['ms'])} ms`),
};

/** The lines for a record of the engine: undefined when it has no words of its own, empty when it is not shown. */
export function devLines({ level, message, fields = {} }: LogRecord, paint: Paint): string | undefined {
  return Object.hasOwn(WORDS, message) ? WORDS[message]?.(fields, paint, level) : undefined;
}

function ready(fields: LogFields, paint: Paint): string {
  const head = `${paint('bold', text(fields['application']))} is ready in ${text(fields['ms'])} ms; Ctrl-C stops it`;
  return `${paint('green', '●')} ${head}\n${addresses(fields, paint)}`;
}

/** The admin API has no page, and the commands that use it find it by themselves. */
const WITHOUT_PAGE = 'console';

/** One line for each address that can be opened; sockets between processes are nobody's business here. */
function addresses(fields: LogFields, paint: Paint): string {
  const shown = Object.entries(fields).filter(([name, value]) => name !== WITHOUT_PAGE && /^(https?|wss?):\/\//.test(String(value)));
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `  ${name.padEnd(width)}  ${paint('cyan', String(value))}`).join('\n');
}

function catalogChanged(fields: LogFields): string {
  const parts = (['added', 'changed', 'removed'] as const)
    .filter((what) => Number(fields[what]) > 0).map((what) => `${text(fields[what])} ${what}`);
  const streams = fields['streams'] === undefined ? '' : `, ${count(Number(fields['streams']), 'stream')}`;
  return `${count(Number(fields['steps']), 'Step')}${streams}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`;
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
