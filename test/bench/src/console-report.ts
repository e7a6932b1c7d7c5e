import type { Received } from './console-page.js';
import { median, medianRange, spread } from '../../support/statistics.js';

/** What an open console may take. */
const LIMIT = 0.03;

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
  const bytes = open.reduce((sum, { received }) => sum + received.bytes, 0);
  return [
    '| console | orders/s, median | spread | CPU us/order engine | spread | Step processes | pages, of one processor |', '|---|---:|---:|---:|---:|---:|---:|',
    row('closed', closed), row('open', open), '',
    `an open console costs ${costText(costs(closed, open).rate)} of the orders and ${costText(costs(closed, open).engine)} of the engine's processor time for each (at most ${percent(LIMIT)})`,
    `${count(open, 'messages')} messages of together ${(bytes / 1e6).toFixed(1)} MB and ${count(open, 'answers')} answers came over it`,
  ].join('\n');
}

/** True when something came, and the median of each cost is within the limit. */
export function isWithinLimit(closed: readonly Sample[], open: readonly Sample[]): boolean {
  return count(open, 'messages') > 0 && Object.values(costs(closed, open)).every(([middle]) => middle <= LIMIT);
}

/** The median of pairs, and between what it lies with a confidence of 95 %. */
type Cost = readonly [middle: number, low: number, high: number];

function costs(closed: readonly Sample[], open: readonly Sample[]): { readonly rate: Cost; readonly engine: Cost } {
  const cost = (of: (sample: Sample) => number): Cost => {
    const ratios = open.map((sample, at) => of(sample) / of(closed[at] as Sample) - 1);
    return [median(ratios), ...medianRange(ratios)];
  };
  return { rate: cost(({ perSecond }) => 1 / perSecond), engine: cost(({ engineUs }) => engineUs) };
}

const costText = ([middle, low, high]: Cost): string => `${percent(middle)} (${percent(low)} to ${percent(high)})`;

function row(name: string, all: readonly Sample[]): string {
  const middle = (figure: Figure): string => median(of(all, figure)).toFixed(0);
  return `| ${name} | ${middle('perSecond')} | ${percent(spread(of(all, 'perSecond')))} | ${middle('engineUs')} | ${percent(spread(of(all, 'engineUs')))} | ${middle('workerUs')} | ${percent(median(of(all, 'pagesShare')))} |`;
}

const of = (all: readonly Sample[], figure: Figure): readonly number[] => all.map((sample) => sample[figure]);
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const count = (all: readonly Sample[], what: keyof Received): number => all.reduce((sum, { received }) => sum + received[what], 0);
