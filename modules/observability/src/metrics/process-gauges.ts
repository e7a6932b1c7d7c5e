import { monitorEventLoopDelay, performance, type EventLoopUtilization } from 'node:perf_hooks';
import type { Labels, Unsubscribe } from '@treadle/api';
import type { MetricRegistry } from './metric-registry.js';

const NANOSECONDS = 1e9;
const RESOLUTION_MS = 20;
/** What is told is about this long at least. */
const WINDOW_MS = 10_000;
const TOGETHER_MS = 500;
/** A gauge each, as OpenTelemetry's conventions name them: the label `quantile` belongs to summaries. */
const PERCENTILES: readonly (readonly [string, number])[] = [['p50', 50], ['p90', 90], ['p99', 99], ['max', 100]];

interface Value { readonly value: number; readonly labels: Labels }

const one = (value: number): readonly Value[] => [{ value, labels: {} }];

/** Adds what the engine's own process is doing: memory, CPU, event loop. Returns what takes it away again. */
export function addProcessGauges(registry: MetricRegistry): Unsubscribe {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let before: EventLoopUtilization | undefined;
  let since = performance.now();
  const utilization = (): number => {
    const now = performance.eventLoopUtilization();
    const { utilization: part } = before ? performance.eventLoopUtilization(now, before) : now;
    before = now;
    return part;
  };
  let readAt = -Infinity;
  let delays: readonly number[] = [];
  /** Those that are read together are of one moment. */
  const delayAt = (index: number): readonly Value[] => {
    const now = performance.now();
    if (now - readAt >= TOGETHER_MS) {
      readAt = now;
      delays = PERCENTILES.map(([, percent]) => lateness(delay.percentile(percent), delay.count));
      if (now - since >= WINDOW_MS) {
        delay.reset();
        since = now;
      }
    }
    return one(delays[index] ?? 0);
  };
  const gauges = [
    ...PERCENTILES.map(([name, percent], index) => registry.gauge(`nodejs.eventloop.delay.${name}`, {
      description: `How late timers of the engine are, over at least the last ten seconds: ${percent === 100 ? 'the latest' : `${percent} % are earlier`}`,
      unit: 's', read: () => delayAt(index),
    })),
    registry.gauge('nodejs.eventloop.utilization', { description: 'Part of the time in which the event loop was busy, since it was read before', unit: '1', read: () => one(utilization()) }),
    registry.gauge('process.memory.usage', { description: 'Resident memory of the engine', unit: 'By', read: () => one(process.memoryUsage.rss()) }),
    registry.gauge('process.cpu.time', { description: 'CPU time of the engine', unit: 's', read: cpuTime }),
  ];
  return () => {
    delay.disable();
    for (const remove of gauges) remove();
  };
}

/** Node.js tells how far apart its looks were, which is never less than their distance; one that never looked has NaN. */
function lateness(nanoseconds: number, count: number): number {
  return count === 0 ? 0 : Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000);
}

function cpuTime(): readonly Value[] {
  const { user, system } = process.cpuUsage();
  return [{ value: user / 1e6, labels: { state: 'user' } }, { value: system / 1e6, labels: { state: 'system' } }];
}
