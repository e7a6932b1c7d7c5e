import type { Clock, Timer, Unsubscribe } from '@treadle/api';
import { Refusal } from '../server/refusal.js';
import type { Pace } from './pace.js';

/** For pages that nobody sees a value is read this seldom; milliseconds. */
export const HIDDEN_MS = 5_000;
/** A value whose reading has not ended for so long counts as one that cannot be read; milliseconds. An engine with much to do lets its turn wait for less. */
export const STUCK_MS = 30_000;

export interface SamplerOptions {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly read: () => unknown;
  /** When it is its turn; values wait for each other. */
  readonly pace: Pick<Pace, 'now' | 'inTurn'>;
  /** Told when it could not be read, once until it can be again. */
  readonly failed: (error: unknown) => void;
}

/** Who is told of a value. */
export interface SampleListener {
  /** Gets its JSON text. */
  readonly tell: (text: string) => void;
  /** It cannot be read: what was told is as it was. It is told again as soon as it can be, though it may be the same. */
  readonly stale: (error: unknown) => void;
  /** Nobody looks at what it is told. */
  readonly isHidden: () => boolean;
}

/** A value that is read again and again while somebody listens, once for all of them, and told when it has changed. */
export class Sampler {
  /** With the text that each was told last. */
  private readonly listeners = new Map<SampleListener, string | undefined>();
  private latest: string | undefined;
  private timer: Timer | undefined;
  private isReading = false;
  private readAt = -Infinity;
  private failure: { readonly error: unknown } | undefined;

  constructor(private readonly options: SamplerOptions) {}

  listen(listener: SampleListener): Unsubscribe {
    const { clock, everyMs, pace } = this.options;
    this.timer ??= clock.every(everyMs, () => this.sample());
    if (this.listeners.size === 0) [this.latest, this.failure] = [undefined, undefined];
    const { latest, failure } = this;
    this.listeners.set(listener, failure ? undefined : latest);
    if (latest !== undefined) listener.tell(latest);
    if (failure) listener.stale(failure.error);
    else if (latest === undefined) void pace.now(() => this.read());
    return () => this.leave(listener);
  }

  private leave(listener: SampleListener): void {
    this.listeners.delete(listener);
    if (this.listeners.size > 0) return;
    this.timer?.cancel();
    this.timer = undefined;
  }

  private sample(): void {
    const { clock, pace } = this.options;
    if (this.isReading && clock.monotonic() - this.readAt > STUCK_MS) this.fail(new Refusal(503, 'unavailable', `reading it has taken more than ${STUCK_MS / 1000} s`));
    if (this.isReading || this.isHidden() && clock.monotonic() - this.readAt < HIDDEN_MS) return;
    this.isReading = true;
    pace.inTurn(() => this.read());
  }

  private isHidden(): boolean {
    return [...this.listeners.keys()].every((listener) => listener.isHidden());
  }

  private async read(): Promise<void> {
    this.isReading = true;
    this.readAt = this.options.clock.monotonic();
    try {
      // Nobody may be left by the time of its turn.
      if (this.listeners.size > 0) this.latest = JSON.stringify(await this.options.read() ?? null);
      this.failure = undefined;
      this.tell();
    } catch (error) {
      this.fail(error);
    } finally {
      this.isReading = false;
    }
  }

  private fail(error: unknown): void {
    if (this.failure) return;
    this.failure = { error };
    this.options.failed(error);
    for (const listener of this.listeners.keys()) {
      this.listeners.set(listener, undefined);
      listener.stale(error);
    }
  }

  private tell(): void {
    const { latest } = this;
    if (latest === undefined) return;
    for (const [listener, told] of this.listeners) {
      if (told === latest) continue;
      this.listeners.set(listener, latest);
      listener.tell(latest);
    }
  }
}
