import type { Entry, Figures } from './rounds.js';

export interface ItemOptions {
  readonly rounds: number;
  /** Length of a slice. */
  readonly seconds: number;
}

/** A figure of ours against what it has to be. */
export interface Check {
  readonly what: string;
  readonly value: number;
  readonly unit: 'per second' | 'x' | 'ms' | '%' | 'messages' | 'KB';
  readonly atLeast?: number;
  readonly atMost?: number;
  /** The lowest and the highest value of a round. */
  readonly range?: readonly [low: number, high: number];
  /** Holds in place of this one. */
  readonly or?: Check;
}

export interface ItemResult {
  readonly title: string;
  readonly entries: readonly Entry<Figures>[];
  readonly columns: Readonly<Record<string, string>>;
  readonly checks: readonly Check[];
}

export function holds({ value, atLeast = -Infinity, atMost = Infinity, or }: Check): boolean {
  return (value >= atLeast && value <= atMost) || (or !== undefined && holds(or));
}

/** A Markdown table: each figure beside what it has to be. */
export function checkTable(checks: readonly Check[]): string {
  const rows = checks.map((check) => `| ${holds(check) ? 'ok' : '**BELOW**'} | ${check.what} | ${measuredOf(check)} | ${aimOf(check)} |`);
  return ['| | what | measured (rounds) | aim |', '|---|---|---|---|', ...rows].join('\n');
}

function measuredOf({ value, unit, range, or }: Check): string {
  const rounds = range ? ` (${range.map(shown).join('-')})` : '';
  return `${shown(value)} ${unit}${rounds}${or ? `; ${measuredOf(or)}` : ''}`;
}

function aimOf({ atLeast, atMost, or }: Check): string {
  const bound = atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
  return or ? `${bound}, or ${aimOf(or)}` : bound;
}

function shown(value: number): string {
  return value.toFixed(value >= 100 ? 0 : 2);
}
