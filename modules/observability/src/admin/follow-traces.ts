import type { AdminEventSink, Clock, Unsubscribe } from '@treadle/api';
import type { AskedTrace } from '../spans/trace-target.js';
import type { TelemetryStore } from '../telemetry-store.js';

const EVERY_MS = 250;
/** Most summaries that a follower gets at a time; of the others it is told how many they were. */
const MOST_AT_A_TIME = 200;

/**
 * Sends the summary of each trace whose spans ended, four times a second. It looks at what has been kept since: where nobody follows, a span
 * that ends costs nothing more.
 */
export function followTraces(
  store: TelemetryStore, clock: Clock, { send, test = () => true }: { readonly send: AdminEventSink; readonly test?: ((trace: AskedTrace) => boolean) | undefined },
): Unsubscribe {
  let seen = store.spans.end;
  const timer = clock.every(EVERY_MS, () => {
    const { end } = store.spans;
    if (end === seen) return;
    const fitting = store.tracesSince(seen).filter(test);
    seen = end;
    for (const { summary } of fitting.slice(0, MOST_AT_A_TIME)) send(summary);
    if (fitting.length > MOST_AT_A_TIME) send({ dropped: fitting.length - MOST_AT_A_TIME });
  });
  return () => timer.cancel();
}
