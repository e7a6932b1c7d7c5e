import { setTimeout as sleep } from 'node:timers/promises';
import type { Contestant } from '../../blocks/src/contestant-process.js';
import type { Figures } from '../../blocks/src/rounds.js';
import { cpuMicroseconds, descendantsOf } from '../../src/process-usage.js';
import type { Aim, Measurement, Side } from './measurement.js';

const PRODUCERS = 256;
/** How long messages that were sent may take to be handled, and how often it is looked; milliseconds. */
const DRAIN_MS = 20_000;
const LOOK_MS = 20;

type Sent = Readonly<Record<'sent' | 'perSecond' | 'cpuPerMessage' | 'enqueueP50Ms' | 'enqueueP99Ms' | 'lost', number>>;

/** From enqueueing to the handler's end, with 256 producers that send one message after the other, of about 260 bytes. */
export function queueMeasurement(what: string, sides: readonly Side[], aims: readonly Aim[]): Measurement {
  return {
    title: `${what}, enqueue to acknowledgement, about 260 bytes, ${PRODUCERS} producers`, sides, aims,
    columns: {
      perSecond: 'msgs/s', cpuAll: 'CPU us/msg, server included', cpuPerMessage: 'client alone', enqueueP50Ms: 'enqueue p50 ms', enqueueP99Ms: 'p99 ms', lost: 'lost',
    },
    slice: async (contestant, { outstanding }, ms) => {
      const before = processorTime();
      const result = await contestant.run<Sent>('throughput', { ms, outstanding, producers: PRODUCERS });
      return { ...result, cpuAll: (processorTime() - before) / result.sent } satisfies Figures;
    },
  };
}

/** Several that share a store, as one: each has its part of the producers, and handles what any of them has sent. */
export function together(contestants: readonly Contestant[]): Contestant {
  return {
    run: async <T>(job: string, options: Readonly<Record<string, unknown>>) => {
      const producers = Math.round(Number(options['producers']) / contestants.length);
      const all = await Promise.all(contestants.map((one) => one.run<Sent>(job, { ...options, producers, drain: false })));
      const sum = (figure: keyof Sent): number => all.reduce((total, one) => total + one[figure], 0);
      const share = (figure: keyof Sent): number => all.reduce((total, one) => total + one[figure] * one.perSecond, 0) / sum('perSecond');
      return {
        sent: sum('sent'), perSecond: sum('perSecond'), cpuPerMessage: share('cpuPerMessage'), enqueueP50Ms: share('enqueueP50Ms'), enqueueP99Ms: share('enqueueP99Ms'),
        lost: await leftOf(contestants),
      } as T;
    },
    stop: async () => void await Promise.all(contestants.map((one) => one.stop())),
  };
}

/** What none of them has handled in the end. */
async function leftOf(contestants: readonly Contestant[]): Promise<number> {
  for (const until = Date.now() + DRAIN_MS; ;) {
    const counts = await Promise.all(contestants.map((one) => one.run<{ readonly outstanding: number }>('outstanding', {})));
    const left = counts.reduce((total, { outstanding }) => total + outstanding, 0);
    if (left === 0 || Date.now() > until) return left;
    await sleep(LOOK_MS);
  }
}

/** Of everything that this run has started: servers, engines, peers. */
function processorTime(): number {
  return descendantsOf(process.pid).map(cpuMicroseconds).reduce((sum, one) => sum + (Number.isNaN(one) ? 0 : one), 0);
}
