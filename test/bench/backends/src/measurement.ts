import type { Contestant } from '../../blocks/src/contestant-process.js';
import type { Check, ItemOptions, ItemResult } from '../../blocks/src/item.js';
import { type Entry, type Figures, medianOf, ratiosOf, rotate } from '../../blocks/src/rounds.js';
import { median } from '../../../support/statistics.js';

/** Somebody who is measured. */
export interface Side {
  readonly id: string;
  readonly name: string;
  start(): Promise<Contestant>;
  /** Messages sent and not handled at which producers wait; the value at which this side is fastest. Default: 20,000. */
  readonly outstanding?: number;
}

/** What the figure of a side has to reach. */
export interface Aim {
  readonly what: string;
  readonly side: string;
  readonly figure: string;
  /** The side that it is divided by, within a round; absent: the figure itself counts. */
  readonly against?: string;
  /** Divide the other way round: less is better. */
  readonly inverse?: boolean;
  readonly atLeast: number;
  /** Is enough in place of this one. */
  readonly or?: Omit<Aim, 'what'>;
}

/** Sides that do the same work in turns. */
export interface Measurement {
  readonly title: string;
  readonly sides: readonly Side[];
  readonly columns: Readonly<Record<string, string>>;
  readonly aims: readonly Aim[];
  slice(contestant: Contestant, side: Side, ms: number): Promise<Figures>;
}

/** All sides are resident and take turns. */
export async function measure({ title, sides, columns, aims, slice }: Measurement, { rounds, seconds }: ItemOptions): Promise<ItemResult> {
  console.error(`[bench]   ${title}`);
  const running = new Map<string, Contestant>();
  const entries: Entry<Figures>[] = sides.map(({ id, name }) => ({ id, name, rounds: [] }));
  try {
    for (const side of sides) running.set(side.id, await side.start());
    await rotate(entries, rounds, ({ id }) => {
      const side = sides.find((one) => one.id === id) as Side;
      return slice(running.get(id) as Contestant, side, seconds * 1000);
    });
  } finally {
    await Promise.all([...running.values()].map((one) => one.stop()));
  }
  return { title, entries, columns, checks: aims.map(({ what, ...aim }) => checkOf(what, aim, entries)) };
}

function checkOf(what: string, { side, figure, against, inverse, atLeast, or }: Omit<Aim, 'what'>, entries: readonly Entry<Figures>[]): Check {
  const entry = (id: string | undefined): Entry<Figures> | undefined => entries.find((one) => one.id === id);
  const other = or && { or: checkOf(what, or, entries) };
  if (against === undefined) return { what, value: medianOf(entry(side), figure), unit: 'per second', atLeast, ...other };
  const ratios = inverse ? ratiosOf(entry(against), entry(side), [figure, figure]) : ratiosOf(entry(side), entry(against), [figure, figure]);
  return { what, value: median(ratios), unit: 'x', range: [Math.min(...ratios), Math.max(...ratios)], atLeast, ...other };
}
