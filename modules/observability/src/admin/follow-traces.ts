import type { AdminEventSink, Clock, Timer, Unsubscribe } from '@treadle/api';
import type { AskedTrace } from '../spans/trace-target.js';
import type { TelemetryStore } from '../telemetry-store.js';

const EVERY_MS = 250;
/** Most summaries that a follower may ask to get at a time. */
export const MOST_AT_A_TIME = 200;

export interface TraceFollower {
  readonly send: AdminEventSink;
  readonly test?: ((trace: AskedTrace) => boolean) | undefined;
  /** Most summaries at a time; default 200. */
  readonly most?: number | undefined;
  /** It is told first what came since, the number of a span: `end` of a list. Default: nothing. */
  readonly since?: number | undefined;
}

/**
 * Sends the summary of each trace whose spans ended, four times a second; of more than `most` the latest, and before them how many they are not.
 * It looks at what has been kept since, once for all who follow: where nobody does, a span that ends costs nothing more, and a trace that nobody is sent is not summed up.
 */
export class TraceFeed {
  private readonly followers = new Set<TraceFollower>();
  private timer: Timer | undefined;
  private seen = 0;

  constructor(private readonly store: TelemetryStore, private readonly clock: Clock) {}

  follow(follower: TraceFollower): Unsubscribe {
    // Those that follow already are told first: what came before is not for the new one.
    this.tell();
    const { store } = this;
    this.seen = store.spans.end;
    if (follower.since !== undefined && follower.since < this.seen) tell(follower, store.traceIdsSince(follower.since), store);
    this.followers.add(follower);
    this.timer ??= this.clock.every(EVERY_MS, () => this.tell());
    return () => {
      this.followers.delete(follower);
      if (this.followers.size > 0) return;
      this.timer?.cancel();
      this.timer = undefined;
    };
  }

  private tell(): void {
    const { store, seen } = this;
    this.seen = store.spans.end;
    if (this.followers.size === 0 || this.seen === seen) return;
    const ids = store.traceIdsSince(seen);
    for (const follower of this.followers) tell(follower, ids, store);
  }
}

function tell({ send, test, most = MOST_AT_A_TIME }: TraceFollower, ids: readonly string[], store: TelemetryStore): void {
  const fitting = test && store.asked(ids).filter(test);
  const dropped = Math.max(0, (fitting ?? ids).length - most);
  if (dropped > 0) send({ dropped });
  for (const { summary } of fitting?.slice(dropped) ?? store.asked(ids.slice(dropped))) send(summary);
}
