import { type Clock, type CronRun, type Emits, type InvokeRequest, newSpanId, type SpanRecord, type Telemetry, timeOfDay } from '@treadle/api';
import type { RunEnding } from './runs/run-ending.js';

/** For the module's declaration. */
export const CRON_EMITS: Emits = { spans: [{ name: 'cron <step>', description: 'A start of a handler by a tick; the root of its trace' }] };

/** Whether a run is traced, and under which span. */
export type RunTrace = Pick<InvokeRequest, 'spanId' | 'sampled'>;

/** Writes a span for each start of a handler by a tick; the root of its trace. */
export class CronSpans {
  constructor(private readonly telemetry: Telemetry | undefined, private readonly clock: Clock) {}

  /** For a start of the run. All starts of one run belong to its trace. */
  traceOf({ traceId }: CronRun): RunTrace {
    const sampled = this.telemetry?.tracing === true && this.telemetry.samples(traceId);
    return { spanId: newSpanId(), sampled };
  }

  /** Milliseconds of the monotonic clock. */
  began(): number {
    return this.clock.monotonic();
  }

  /** A start has ended; one that no worker took is no span. */
  ended(run: CronRun, { spanId, sampled }: RunTrace, began: number, ending: RunEnding): void {
    if (!this.telemetry || !sampled || ending.kind === 'unserved') return;
    this.telemetry.span({
      traceId: run.traceId, spanId, name: `cron ${run.step}`, kind: 'internal', startTime: timeOfDay(began),
      durationMs: this.clock.monotonic() - began, error: errorOf(ending), stepName: '',
      attributes: {
        'step.name': run.step, 'step.attempt': run.attempt, 'cron.trigger': run.trigger, 'cron.scheduled_at': run.scheduledAt,
        'cron.manual': run.manual, 'cron.missed': run.missed, 'cron.outcome': ending.kind === 'ended' ? ending.status : ending.kind,
      },
    });
  }
}

function errorOf(ending: RunEnding): SpanRecord['error'] {
  if (ending.kind === 'cut') return { type: 'worker_lost', message: ending.error };
  if (ending.kind !== 'ended' || ending.status === 'succeeded') return undefined;
  const text = ending.error ?? 'the handler failed';
  const colon = text.indexOf(': ');
  return { type: colon > 0 ? text.slice(0, colon) : 'Error', message: text.slice(colon > 0 ? colon + 2 : 0) };
}
