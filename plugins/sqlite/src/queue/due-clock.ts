import type { Clock, Timer } from '@treadle/api';
import type { DueRow, QueueReader } from './queue-reader.js';

/** Told of at once; more in the next turn of the loop. */
const PORTION = 1_000;
/** Longest wait of a timer; a longer one is made of several. Timers do not see that the clock was set ahead, or that the machine slept. */
const LONGEST_MS = 10_000;

/** What the clock tells. */
export interface DueListener {
  /** The time of a delivery has come. */
  due(row: DueRow): void;
  /** More has become due in one millisecond than is told one by one; some of it is of this lane. */
  dueMany(lane: number): void;
  /** All that counts as due has been told. */
  told(): void;
  /** The clock was set back: what counted as due may not be any more. */
  setBack(): void;
}

/**
 * Knows up to when deliveries count as due, and moves on when the next one is. What is due later is on the disk alone.
 */
export class DueClock {
  /** Deliveries with a time up to it count as due; milliseconds since the epoch. */
  cursor: number;
  private next = Infinity;
  private timer: Timer | undefined;
  private timerAt = Infinity;
  private listener: DueListener | undefined;
  private stopped = false;

  constructor(private readonly clock: Clock, private readonly reader: QueueReader) {
    this.cursor = clock.now();
  }

  start(listener: DueListener): void {
    this.listener = listener;
    this.look();
  }

  /** For good: what was on its way to the disk may be noted afterwards. */
  stop(): void {
    this.stopped = true;
    this.timer?.cancel();
    this.timer = undefined;
    this.timerAt = Infinity;
  }

  /** A delivery is on the disk that is due then. */
  note(dueAt: number): void {
    if (dueAt >= this.next || dueAt <= this.cursor) return;
    this.next = dueAt;
    this.arm();
  }

  /** Something may be on the disk that is due sooner than is known. */
  look(): void {
    this.next = this.reader.nextDue(this.cursor);
    this.arm();
  }

  /** Moves on to the present; where very much has become due, only some way, and the rest in the next turns of the loop. */
  advance(): void {
    const now = this.clock.now();
    if (now < this.cursor) this.back(now);
    if (now < this.next) return;
    this.step(now);
    this.arm();
    this.listener?.told();
  }

  private step(now: number): void {
    const rows = this.reader.due(this.cursor, now, PORTION);
    const last = rows.at(-1)?.dueAt ?? now;
    const all = rows.length < PORTION;
    // Others may be due at the same millisecond as the last one that was read.
    const told = all ? rows : rows.filter(({ dueAt }) => dueAt < last);
    this.cursor = all ? now : told.at(-1)?.dueAt ?? last;
    for (const row of told) this.listener?.due(row);
    if (told.length === 0) for (const lane of this.reader.dueLanes(last)) this.listener?.dueMany(lane);
    this.next = this.reader.nextDue(this.cursor);
  }

  private back(now: number): void {
    this.cursor = now;
    this.next = this.reader.nextDue(now);
    this.listener?.setBack();
    this.arm();
  }

  private arm(): void {
    if (this.stopped || this.next === this.timerAt) return;
    this.timer?.cancel();
    this.timer = undefined;
    this.timerAt = this.next;
    if (this.next === Infinity) return;
    this.timer = this.clock.after(Math.min(LONGEST_MS, Math.max(0, this.next - this.clock.now())), () => {
      this.timer = undefined;
      this.timerAt = Infinity;
      this.advance();
      this.arm();
    });
  }
}
