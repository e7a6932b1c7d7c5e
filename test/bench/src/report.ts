import type { Contestant } from './contestant.js';
import type { Measurement } from './measure.js';
import { median, spread } from '../../support/statistics.js';

/** A row of the table; every figure is the median over the rounds. */
export interface Row {
  readonly id: string;
  readonly name: string;
  readonly perSecond: number;
  /** Median of the ratios to the baseline within the same round. */
  readonly ratio: number;
  /** (max - min) / median of the rates. */
  readonly spread: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly oneConnectionP50Ms: number;
  readonly cpuMain: number;
  readonly cpuOthers: number;
  readonly residentMb: number;
  readonly failures: number;
  readonly non2xx: number;
}

/** Contestant id → one measurement per round. */
export type Rounds = ReadonlyMap<string, readonly Measurement[]>;

export function rowOf(contestant: Contestant, rounds: Rounds): Row {
  const own = rounds.get(contestant.id) ?? [];
  const baseline = rounds.get(contestant.baseline) ?? [];
  const of = (key: keyof Measurement): number => median(own.map((measurement) => measurement[key]));
  const total = (key: 'failures' | 'non2xx'): number => own.reduce((sum, measurement) => sum + measurement[key], 0);
  return {
    id: contestant.id, name: contestant.name, perSecond: of('perSecond'),
    ratio: median(own.map((m, round) => m.perSecond / (baseline[round]?.perSecond ?? NaN))),
    spread: spread(own.map((m) => m.perSecond)), p50Ms: of('p50Ms'), p99Ms: of('p99Ms'),
    oneConnectionP50Ms: of('oneConnectionP50Ms'), cpuMain: of('cpuMain'), cpuOthers: of('cpuOthers'),
    residentMb: of('residentMb'), failures: total('failures'), non2xx: total('non2xx'),
  };
}

/** The ratio of two contestants within the same rounds. */
export function ratioBetween(first: string, second: string, rounds: Rounds): number | undefined {
  const [a, b] = [rounds.get(first), rounds.get(second)];
  return a && b ? median(a.map((m, round) => m.perSecond / (b[round]?.perSecond ?? NaN))) : undefined;
}

/** How many microseconds of CPU more one takes for a request than the other within the same rounds, in all its processes. */
export function costBetween(first: string, second: string, rounds: Rounds): number | undefined {
  const [a, b] = [rounds.get(first), rounds.get(second)];
  const cpu = (m: Measurement | undefined): number => (m ? m.cpuMain + m.cpuOthers : NaN);
  return a && b ? median(a.map((m, round) => cpu(m) - cpu(b[round]))) : undefined;
}

const HEAD = [
  '| variant | req/s | ratio | p50 ms | p99 ms | 1 conn p50 ms | CPU us/req server | others | RSS MB | spread | non-2xx | failures |',
  '|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|',
];

/** A Markdown table. */
export function table(rows: readonly Row[]): string {
  return [...HEAD, ...rows.map((row) => `| ${cells(row).join(' | ')} |`)].join('\n');
}

function cells(row: Row): (string | number)[] {
  return [
    row.name, row.perSecond.toFixed(0), row.ratio.toFixed(2), row.p50Ms.toFixed(2), row.p99Ms.toFixed(2), row.oneConnectionP50Ms.toFixed(3),
    row.cpuMain.toFixed(1), row.cpuOthers.toFixed(1), row.residentMb.toFixed(0), `${(row.spread * 100).toFixed(0)}%`, row.non2xx, row.failures,
  ];
}
