import type { Clock, Timer, Unsubscribe } from '@treadle/api';
import type { Pace } from './pace.js';

/** For pages that nobody sees a value is read this seldom; milliseconds. */
export const HIDDEN_MS = 5_000;

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
  private isFailing = false;

  constructor(private readonly options: SamplerOptions) {}

  listen(listener: SampleListener): Unsubscribe {
    this.listeners.set(listener, undefined);
    const { clock, everyMs, pace } = this.options;
    this.timer ??= clock.every(everyMs, () => this.sample());
    if (this.listeners.size === 1) this.latest = undefined;
    if (this.latest !== undefined) this.tell();
    else void pace.now(() => this.read());
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
      this.isFailing = false;
      this.tell();
    } catch (error) {
      if (!this.isFailing) this.options.failed(error);
      this.isFailing = true;
    } finally {
      this.isReading = false;
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
