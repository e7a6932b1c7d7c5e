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
}

export interface ItemResult {
  readonly title: string;
  readonly entries: readonly Entry<Figures>[];
  readonly columns: Readonly<Record<string, string>>;
  readonly checks: readonly Check[];
}

export function holds({ value, atLeast = -Infinity, atMost = Infinity }: Check): boolean {
  return value >= atLeast && value <= atMost;
}

/** e.g. `ok    queue, QueuePort: 120000 per second (at least 100000)`. */
export function checkLine(check: Check): string {
  const bound = check.atLeast === undefined ? `at most ${check.atMost}` : `at least ${check.atLeast}`;
  return `${holds(check) ? 'ok   ' : 'BELOW'} ${check.what}: ${check.value.toFixed(check.value >= 100 ? 0 : 2)} ${check.unit} (${bound})`;
}
