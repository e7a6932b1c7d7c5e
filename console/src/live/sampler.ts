import type { Clock, Timer, Unsubscribe } from '@treadle/api';

export interface SamplerOptions {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly read: () => unknown;
  /** Told when it could not be read, once until it can be again. */
  readonly failed: (error: unknown) => void;
}

/** A value that is read again and again while somebody listens, once for all of them, and told when it has changed. */
export class Sampler {
  /** With the JSON text that each was told last. */
  private readonly listeners = new Map<(value: unknown) => void, string | undefined>();
  private latest: { readonly text: string; readonly value: unknown } | undefined;
  private timer: Timer | undefined;
  private reading: Promise<void> | undefined;
  private isFailing = false;

  constructor(private readonly options: SamplerOptions) {}

  listen(listener: (value: unknown) => void): Unsubscribe {
    this.listeners.set(listener, undefined);
    const { clock, everyMs } = this.options;
    this.timer ??= clock.every(everyMs, () => this.sample());
    if (this.listeners.size === 1) this.latest = undefined;
    if (this.latest) this.tell();
    else this.sample();
    return () => this.leave(listener);
  }

  private leave(listener: (value: unknown) => void): void {
    this.listeners.delete(listener);
    if (this.listeners.size > 0) return;
    this.timer?.cancel();
    this.timer = undefined;
  }

  /** A reading that takes longer than its turn is not begun twice. */
  private sample(): void {
    this.reading ??= this.read().finally(() => (this.reading = undefined));
  }

  private async read(): Promise<void> {
    try {
      const value = await this.options.read();
      this.latest = { text: JSON.stringify(value ?? null), value: value ?? null };
      this.isFailing = false;
      this.tell();
    } catch (error) {
      if (!this.isFailing) this.options.failed(error);
      this.isFailing = true;
    }
  }

  private tell(): void {
    const { latest } = this;
    if (!latest) return;
    for (const [listener, told] of this.listeners) {
      if (told === latest.text) continue;
      this.listeners.set(listener, latest.text);
      listener(latest.value);
    }
  }
}
