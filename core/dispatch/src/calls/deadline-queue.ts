import type { Clock, Timer } from '@treadle/api';

/** What such a queue may hold: links and place of an entry are in the entry itself, and owned by the queue. */
export interface Queued<T extends Queued<T>> {
  previous: T | undefined;
  next: T | undefined;
  queue: DeadlineQueue<T> | undefined;
  deadline: number;
}

/**
 * Calls with the same time limit, oldest first. Because the limit is the same, deadlines are in order: one timer for
 * the head serves all, and adding and removing cost a few assignments. A timer for each call would cost 1 µs.
 */
export class DeadlineQueue<T extends Queued<T>> {
  private head: T | undefined;
  private tail: T | undefined;
  private timer: Timer | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly limitMs: number,
    private readonly expire: (call: T) => void,
  ) {}

  add(call: T): void {
    call.queue = this;
    call.deadline = this.clock.monotonic() + this.limitMs;
    call.previous = this.tail;
    call.next = undefined;
    if (this.tail) this.tail.next = call;
    else this.head = call;
    this.tail = call;
    this.timer ??= this.clock.after(this.limitMs, this.onTimer);
  }

  remove(call: T): void {
    if (call.queue !== this) return;
    if (call.previous) call.previous.next = call.next;
    else this.head = call.next;
    if (call.next) call.next.previous = call.previous;
    else this.tail = call.previous;
    call.queue = call.previous = call.next = undefined;
  }

  /** Stops the timer; calls still queued never expire. */
  close(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }

  private readonly onTimer = (): void => {
    this.timer = undefined;
    const now = this.clock.monotonic();
    while (this.head && this.head.deadline <= now) {
      const call = this.head;
      this.remove(call);
      this.expire(call);
    }
    // The timer may have been set again by a call that `expire` caused.
    if (this.head && !this.timer) this.timer = this.clock.after(Math.max(1, Math.ceil(this.head.deadline - now)), this.onTimer);
  };
}

/** One `DeadlineQueue` for each distinct limit. */
export class DeadlineQueues<T extends Queued<T>> {
  private readonly queues = new Map<number, DeadlineQueue<T>>();

  constructor(private readonly clock: Clock, private readonly expire: (call: T) => void) {}

  add(call: T, limitMs: number): void {
    let queue = this.queues.get(limitMs);
    if (!queue) {
      queue = new DeadlineQueue<T>(this.clock, limitMs, this.expire);
      this.queues.set(limitMs, queue);
    }
    queue.add(call);
  }

  close(): void {
    for (const queue of this.queues.values()) queue.close();
  }
}
