import type { Clock, Logger, QueueAdapter, Settlement, Timer, Turn } from '@treadle/api';
import { isStorageFull } from '../queue-errors.js';
import type { QueueObserver } from '../telemetry/queue-observer.js';

/** What the store did not take is tried again after this; milliseconds. */
const RETRY_MS = 250;

/** What the writer works with. */
export interface SettlementWriterParts {
  readonly adapter: Pick<QueueAdapter, 'settleMany'>;
  readonly turn: Turn;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Writes the ends of deliveries, all of a turn in one call. Slots do not wait for it. What the store rejects is written again until it answers:
 * a settlement that was carried out all the same has used its claim up, and the claim of one that comes too late is void.
 */
export class SettlementWriter {
  observer: QueueObserver | undefined;
  private gathered: Settlement[] = [];
  private refused: Settlement[] = [];
  private retry: Timer | undefined;
  private writing = 0;
  /** Some are tried again: it has been said. */
  private failing = false;
  private closed = false;
  private waiters: (() => void)[] = [];

  private readonly askFlush: () => void;

  constructor(private readonly parts: SettlementWriterParts) {
    this.askFlush = parts.turn.at('settle', () => this.flush());
  }

  add(settlement: Settlement): void {
    this.gathered.push(settlement);
    this.askFlush();
  }

  private flush(): void {
    if (this.gathered.length === 0) return;
    const settlements = this.gathered;
    this.gathered = [];
    this.writing++;
    this.parts.adapter.settleMany(settlements).then(
      (accepted) => this.written(accepted),
      (error: unknown) => this.failed(settlements, error),
    );
  }

  /** Resolves when nothing is left to write. */
  settled(): Promise<void> {
    return this.busy ? new Promise((resolve) => void this.waiters.push(resolve)) : Promise.resolve();
  }

  /** Gives up on what the store has not taken: those deliveries come again. */
  close(): void {
    this.closed = true;
    this.retry?.cancel();
    this.retry = undefined;
    this.refused = [];
    this.ended();
  }

  private get busy(): boolean {
    return this.writing > 0 || this.gathered.length > 0 || this.refused.length > 0;
  }

  private written(accepted: readonly boolean[]): void {
    this.writing--;
    this.failing = false;
    if (accepted.includes(false)) this.observer?.stale(accepted.filter((one) => !one).length);
    this.ended();
  }

  private failed(settlements: readonly Settlement[], error: unknown): void {
    this.writing--;
    this.keep(settlements, error);
    this.ended();
  }

  private keep(settlements: readonly Settlement[], error: unknown): void {
    if (this.closed) return;
    if (!this.failing) this.tell(settlements.length, error);
    this.failing = true;
    this.refused.push(...settlements);
    this.retry ??= this.parts.clock.after(RETRY_MS, () => {
      this.retry = undefined;
      this.gathered = this.refused.concat(this.gathered);
      this.refused = [];
      this.flush();
    });
  }

  private tell(count: number, error: unknown): void {
    if (isStorageFull(error)) this.parts.log.warn('the storage is full: settlements wait for space', { count });
    else this.parts.log.error('settlements could not be written; it is tried again', { count, error: String(error) });
  }

  private ended(): void {
    if (this.busy || this.waiters.length === 0) return;
    const { waiters } = this;
    this.waiters = [];
    for (const resolve of waiters) resolve();
  }
}
