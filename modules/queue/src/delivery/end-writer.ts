import type { Clock, Logger, QueueAdapter, Settlement, Timer, Turn } from '@treadle/api';
import { isStorageFull } from '../queue-errors.js';
import type { QueueObserver } from '../telemetry/queue-observer.js';

/** What the store did not take is tried again after this; milliseconds. */
const RETRY_MS = 250;
/** Most of them in one call. */
const PORTION = 500;

/** What a writer works with. */
export interface EndWriterParts {
  readonly turn: Turn;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Writes ends of deliveries, all of a turn in one call. What the store rejects is written again until it answers, one portion after the other until the
 * next time that one is rejected: an end that was carried out all the same has used its claim up, and the claim of one that comes too late is void.
 */
export abstract class EndWriter<End, Answer> {
  private gathered: End[] = [];
  private refused: End[] = [];
  private retry: Timer | undefined;
  /** Smaller after each rejection, so that a store that is away is asked little, and what it never takes does not keep the others. */
  private portion = PORTION;
  /** One is being written again. */
  private retrying = false;
  private writing = 0;
  /** Some are tried again: it has been said. */
  private failing = false;
  private closed = false;
  private waiters: (() => void)[] = [];
  private readonly askFlush: () => void;

  /** `what`: the ends, for the log. */
  constructor(private readonly around: EndWriterParts, private readonly what: string) {
    this.askFlush = around.turn.at('settle', () => this.flush());
  }

  add(end: End): void {
    this.gathered.push(end);
    this.askFlush();
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

  /** Has the store write them. */
  protected abstract write(ends: readonly End[]): Promise<readonly Answer[]>;

  /** What became of each. */
  protected abstract answered(ends: readonly End[], answers: readonly Answer[]): void;

  private flush(): void {
    if (this.gathered.length === 0) return;
    const ends = this.gathered;
    this.gathered = [];
    this.writing++;
    this.write(ends).then(
      (answers) => this.written(ends, answers),
      (error: unknown) => this.failed(ends, error),
    );
  }

  private writeAgain(): void {
    const ends = this.refused.splice(0, this.portion);
    this.retrying = ends.length > 0;
    if (!this.retrying) return;
    this.writing++;
    this.write(ends).then(
      (answers) => {
        this.portion = Math.min(PORTION, this.portion * 2);
        this.written(ends, answers);
        this.writeAgain();
      },
      (error: unknown) => {
        this.portion = Math.ceil(this.portion / 2);
        this.retrying = false;
        this.failed(ends, error);
      },
    );
  }

  private get busy(): boolean {
    return this.writing > 0 || this.gathered.length > 0 || this.refused.length > 0;
  }

  private written(ends: readonly End[], answers: readonly Answer[]): void {
    this.writing--;
    this.failing = false;
    this.answered(ends, answers);
    this.ended();
  }

  private failed(ends: readonly End[], error: unknown): void {
    this.writing--;
    this.keep(ends, error);
    this.ended();
  }

  private keep(ends: readonly End[], error: unknown): void {
    if (this.closed) return;
    if (!this.failing) this.tell(ends.length, error);
    this.failing = true;
    this.refused.push(...ends);
    if (this.retrying) return;
    this.retry ??= this.around.clock.after(RETRY_MS, () => {
      this.retry = undefined;
      this.writeAgain();
    });
  }

  private tell(count: number, error: unknown): void {
    if (isStorageFull(error)) this.around.log.warn(`the storage is full: ${this.what} wait for space`, { count });
    else this.around.log.error(`${this.what} could not be written; it is tried again`, { count, error: String(error) });
  }

  private ended(): void {
    if (this.busy || this.waiters.length === 0) return;
    const { waiters } = this;
    this.waiters = [];
    for (const resolve of waiters) resolve();
  }
}

/** What the writer works with. */
export interface SettlementWriterParts extends EndWriterParts {
  readonly adapter: Pick<QueueAdapter, 'settleMany'>;
}

/** Writes the ends of deliveries. Slots do not wait for it. */
export class SettlementWriter extends EndWriter<Settlement, boolean> {
  observer: QueueObserver | undefined;

  constructor(private readonly parts: SettlementWriterParts) {
    super(parts, 'settlements');
  }

  protected override write(settlements: readonly Settlement[]): Promise<readonly boolean[]> {
    return this.parts.adapter.settleMany(settlements);
  }

  protected override answered(_settlements: readonly Settlement[], accepted: readonly boolean[]): void {
    if (accepted.includes(false)) this.observer?.stale(accepted.filter((one) => !one).length);
  }
}
