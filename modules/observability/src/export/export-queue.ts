import { type Clock, type Timer, untilAborted } from '@treadle/api';

/** Most items of one request. */
export const BATCH = 512;
/** Most items that wait. */
export const MAX_WAITING = 8192;
/** Most that waits, in bytes. */
export const MAX_WAITING_BYTES = 32 * 1024 * 1024;

export interface ExportQueueOptions<T> {
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly bytesOf: (item: T) => number;
  /** Rejects when the collector did not take them; repeats by itself what is worth it. */
  readonly send: (items: readonly T[]) => Promise<void>;
  /** Told of everything that is lost. */
  readonly lost: (count: number, reason: string) => void;
}

interface Waiting<T> { readonly item: T; readonly bytes: number }

/** Collects what goes to a collector and sends it in batches, one request at a time; bounded: what is too much is lost and counted. */
export class ExportQueue<T> {
  private waiting: Waiting<T>[] = [];
  private bytes = 0;
  private sending: Promise<void> | undefined;
  private timer: Timer | undefined;
  private closed = false;
  private underWay = 0;
  private abandoned = false;

  constructor(private readonly options: ExportQueueOptions<T>) {}

  get length(): number {
    return this.waiting.length;
  }

  add(item: T): void {
    const bytes = this.options.bytesOf(item);
    if (this.closed || this.waiting.length >= MAX_WAITING || this.bytes + bytes > MAX_WAITING_BYTES) {
      this.options.lost(1, this.closed ? 'the engine is stopping' : 'too much waits for the collector');
      return;
    }
    this.waiting.push({ item, bytes });
    this.bytes += bytes;
    if (this.waiting.length === BATCH) this.schedule(0);
    else if (this.waiting.length === 1) this.schedule(this.options.intervalMs);
  }

  /** Sends what waits and ends; what the collector has not taken when the signal aborts is lost. */
  async close(signal: AbortSignal): Promise<void> {
    this.closed = true;
    this.timer?.cancel();
    await untilAborted(this.drain(signal), signal);
    // Whether a request that is still under way arrives is not known: it counts as lost, once.
    const rest = this.waiting.splice(0).length + this.underWay;
    this.bytes = 0;
    this.abandoned = true;
    if (rest > 0) this.options.lost(rest, 'the engine stopped before they were sent');
  }

  private schedule(ms: number): void {
    if (this.sending) return;
    this.timer?.cancel();
    this.timer = this.options.clock.after(ms, () => this.flush());
  }

  private flush(): void {
    if (this.sending || this.waiting.length === 0) return;
    this.sending = this.sendBatch().finally(() => {
      this.sending = undefined;
      if (this.closed || this.waiting.length === 0) return;
      this.schedule(this.waiting.length >= BATCH ? 0 : this.options.intervalMs);
    });
  }

  private async drain(signal: AbortSignal): Promise<void> {
    await this.sending;
    while (this.waiting.length > 0 && !signal.aborted) await this.sendBatch();
  }

  private async sendBatch(): Promise<void> {
    const batch = this.waiting.splice(0, BATCH);
    this.underWay = batch.length;
    for (const { bytes } of batch) this.bytes -= bytes;
    try {
      await this.options.send(batch.map(({ item }) => item));
    } catch (error) {
      if (!this.abandoned) this.options.lost(batch.length, error instanceof Error ? error.message : String(error));
    } finally {
      this.underWay = 0;
    }
  }
}
