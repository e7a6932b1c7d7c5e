import type { LogFields } from '@treadle/api';
import { count, formatTable } from '../terminal/table.js';
import type { Paint } from './dev-paint.js';

/** What the record names of one Step. */
interface Named {
  readonly change: string;
  readonly step: string;
  readonly file: string;
  readonly triggers: readonly string[];
}

const SIGNS: Readonly<Record<string, string>> = { added: '+', changed: '~', swapped: '↻', removed: '-' };

/**
 * How many Steps there are, then a line for each that is another now: what starts it, its name, its file. When handlers alone were
 * swapped, only those lines.
 */
export function catalogLines(fields: LogFields, paint: Paint): string {
  const parts = (['added', 'changed', 'removed'] as const).filter((what) => Number(fields[what]) > 0).map((what) => `${String(fields[what])} ${what}`);
  const streams = fields['streams'] === undefined ? '' : `, ${count(Number(fields['streams']), 'stream')}`;
  const head = parts.length > 0 ? [`${count(Number(fields['steps']), 'Step')}${streams} (${parts.join(', ')})`] : [];
  const named = Array.isArray(fields['named']) ? (fields['named'] as readonly Named[]) : [];
  const lines = named.length > 0 ? formatTable(named.flatMap(rows)).split('\n').map((line) => paint(line.includes('↻') ? 'green' : 'dim', line)) : [];
  return [...head, ...lines].join('\n');
}

function rows({ change, step, file, triggers }: Named): readonly (readonly string[])[] {
  const sign = `  ${SIGNS[change] ?? ' '}`;
  const [first = '(no trigger)', ...more] = change === 'swapped' ? ['swapped'] : triggers;
  return [[sign, first, step, file], ...more.map((trigger) => [sign, trigger, step, file])];
}
