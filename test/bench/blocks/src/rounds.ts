import { median, spread } from '../../../support/statistics.js';

/** One contestant of an item and what it measured, a figure set per round. */
export interface Entry<F extends Figures> {
  readonly id: string;
  readonly name: string;
  readonly rounds: F[];
}

export type Figures = Readonly<Record<string, number>>;

/** Measures all entries in turns, after one turn that does not count; each round begins with another one. */
export async function rotate<F extends Figures>(entries: readonly Entry<F>[], rounds: number, measure: (entry: Entry<F>) => Promise<F>): Promise<void> {
  for (const entry of entries) await measure(entry);
  for (let round = 0; round < rounds; round++) {
    const order = entries.map((_, index) => entries[(index + round) % entries.length] as Entry<F>);
    for (const entry of order) entry.rounds.push(await measure(entry));
  }
}

/** Median of the ratios within the same round. */
export function ratioOf<F extends Figures>(first: Entry<F> | undefined, second: Entry<F> | undefined, figures: readonly [string, string]): number {
  return median(ratiosOf(first, second, figures));
}

/** The ratios within the same round. */
export function ratiosOf<F extends Figures>(first: Entry<F> | undefined, second: Entry<F> | undefined, figures: readonly [string, string]): readonly number[] {
  return (first?.rounds ?? []).map((one, round) => (one[figures[0]] ?? NaN) / (second?.rounds[round]?.[figures[1]] ?? NaN));
}

export function medianOf(entry: Entry<Figures> | undefined, figure: string): number {
  return median((entry?.rounds ?? []).map((one) => one[figure] ?? NaN));
}

/** A Markdown table: medians of the figures, and the spread of the first one. */
export function tableOf(title: string, entries: readonly Entry<Figures>[], columns: Readonly<Record<string, string>>): string {
  const keys = Object.keys(columns);
  const rows = entries.map((entry) => {
    const cells = keys.map((key) => shown(medianOf(entry, key)));
    return `| ${[entry.name, ...cells, `${(spread(entry.rounds.map((one) => one[keys[0] ?? ''] ?? NaN)) * 100).toFixed(0)}%`].join(' | ')} |`;
  });
  return [`#### ${title}`, '', `| variant | ${Object.values(columns).join(' | ')} | spread |`, `|---|${'---:|'.repeat(keys.length + 1)}`, ...rows].join('\n');
}

function shown(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (value >= 1000 || Number.isInteger(value)) return value.toFixed(0);
  return value >= 100 ? value.toFixed(1) : value.toFixed(2);
}
