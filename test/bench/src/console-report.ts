import type { Received } from './console-page.js';
import { median, spread } from '../../support/statistics.js';

/** What an open console may take. */
const LIMIT = 0.03;
/** Slices of one kind that lie further apart tell nothing of so small a difference. */
const MOST_SPREAD = 0.1;

/** One slice of load. */
export interface Sample {
  readonly perSecond: number;
  /** Processor time for each order, in microseconds: of the engine's process, and of its Step processes. */
  readonly engineUs: number;
  readonly workerUs: number;
  /** Part of one processor that the open pages took. */
  readonly pagesShare: number;
  readonly received: Received;
}

type Figure = 'perSecond' | 'engineUs' | 'workerUs' | 'pagesShare';

/** A table and the costs, as Markdown. */
export function consoleReport(closed: readonly Sample[], open: readonly Sample[]): string {
  const cost = costs(closed, open);
  const bytes = open.reduce((sum, { received }) => sum + received.bytes, 0);
  return [
    '| console | orders/s, median | spread | CPU us/order engine | spread | Step processes | pages, of one processor |', '|---|---:|---:|---:|---:|---:|---:|',
    row('closed', closed), row('open', open), '',
    `an open console costs ${percent(cost.rate)} of the orders and ${percent(cost.engine)} of the engine's processor time for each (medians of pairs; at most ${percent(LIMIT)})`,
    `${count(open, 'messages')} messages of together ${(bytes / 1e6).toFixed(1)} MB and ${count(open, 'answers')} answers came over it`,
    ...verdicts(closed),
  ].join('\n');
}

/** False when nothing came, or one cost is too high and its figures lie close enough together to say so. */
export function isWithinLimit(closed: readonly Sample[], open: readonly Sample[]): boolean {
  const { rate, engine } = costs(closed, open);
  return count(open, 'messages') > 0 && !(isQuiet(closed, 'perSecond') && rate > LIMIT) && !(isQuiet(closed, 'engineUs') && engine > LIMIT);
}

function costs(closed: readonly Sample[], open: readonly Sample[]): { readonly rate: number; readonly engine: number } {
  const ratio = (of: Figure): number => median(open.map((sample, at) => sample[of] / (closed[at]?.[of] ?? NaN)));
  return { rate: 1 - ratio('perSecond'), engine: ratio('engineUs') - 1 };
}

function verdicts(closed: readonly Sample[]): readonly string[] {
  const noisy = [['perSecond', 'orders'], ['engineUs', "the engine's processor time"]] as const;
  return noisy.filter(([figure]) => !isQuiet(closed, figure)).map(([figure, name]) => `the slices without a console lie ${percent(spread(of(closed, figure)))} apart in ${name}: the machine is too busy for a verdict on that`);
}

function row(name: string, all: readonly Sample[]): string {
  const middle = (figure: Figure): string => median(of(all, figure)).toFixed(0);
  return `| ${name} | ${middle('perSecond')} | ${percent(spread(of(all, 'perSecond')))} | ${middle('engineUs')} | ${percent(spread(of(all, 'engineUs')))} | ${middle('workerUs')} | ${percent(median(of(all, 'pagesShare')))} |`;
}

const of = (all: readonly Sample[], figure: Figure): readonly number[] => all.map((sample) => sample[figure]);
const isQuiet = (all: readonly Sample[], figure: Figure): boolean => spread(of(all, figure)) <= MOST_SPREAD;
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const count = (all: readonly Sample[], what: keyof Received): number => all.reduce((sum, { received }) => sum + received[what], 0);
