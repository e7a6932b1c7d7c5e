import type { Contestant } from '../../blocks/src/contestant-process.js';
import type { Aim, Measurement, Side } from './measurement.js';

/** What one does with an item; the job of that name. */
export type Operation = 'get' | 'set' | 'item';

/** 64 operations in flight on 1,000 keys of about 200 bytes. */
export function operationsMeasurement(what: string, operations: readonly Operation[], sides: readonly Side[], aims: readonly Aim[]): Measurement {
  return {
    title: `${what}, 64 in flight, 1,000 keys, about 200 bytes`, sides, aims,
    columns: Object.fromEntries(operations.map((operation) => [operation, `${operation === 'item' ? 'set' : operation}/s`])),
    slice: async (contestant, _side, ms) => {
      const figures: Record<string, number> = {};
      for (const operation of operations) figures[operation] = (await contestant.run<{ perSecond: number }>(operation, { ms })).perSecond;
      return figures;
    },
  };
}

/** With the keys in it. */
export async function filled(starting: Promise<Contestant>): Promise<Contestant> {
  const contestant = await starting;
  await contestant.run('fill', {});
  return contestant;
}
