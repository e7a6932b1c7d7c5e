import type { Clock, Logger, QueueAdapter, Settlement, Timer, Turn } from '@treadle/api';
import { isStorageFull } from '../queue-errors.js';
import type { QueueObserver } from '../telemetry/queue-observer.js';

/** While the disk is full, settlements are tried again this often; milliseconds. */
const RETRY_MS = 250;

/** What the writer works with. */
export interface SettlementWriterParts {
  readonly adapter: Pick<QueueAdapter, 'settleMany'>;
  readonly turn: Turn;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Writes the ends of deliveries, all of a turn in one call. Slots do not wait for it. */
export class SettlementWriter {
  observer: QueueObserver | undefined;
  private gathered: Settlement[] = [];
  private refused: Settlement[] = [];
  private retry: Timer | undefined;
  private writing = 0;
  private full = false;
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

  /** Gives up on what the full disk refused: those deliveries come again after the next start. */
  close(): void {
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
    this.full = false;
    if (accepted.includes(false)) this.observer?.stale(accepted.filter((one) => !one).length);
    this.ended();
  }

  private failed(settlements: readonly Settlement[], error: unknown): void {
    this.writing--;
    // Nothing was written, so it is tried until there is space. After any other fault the store ends the engine.
    if (isStorageFull(error)) this.keep(settlements);
    else this.parts.log.error('settlements could not be written', { count: settlements.length, error: String(error) });
    this.ended();
  }

  private keep(settlements: readonly Settlement[]): void {
    if (!this.full) this.parts.log.warn('the storage is full: settlements wait for space', { count: settlements.length });
    this.full = true;
    this.refused.push(...settlements);
    this.retry ??= this.parts.clock.after(RETRY_MS, () => {
      this.retry = undefined;
      this.gathered = this.refused.concat(this.gathered);
      this.refused = [];
      this.flush();
    });
  }

  private ended(): void {
    if (this.busy || this.waiters.length === 0) return;
    const { waiters } = this;
    this.waiters = [];
    for (const resolve of waiters) resolve();
  }
}
