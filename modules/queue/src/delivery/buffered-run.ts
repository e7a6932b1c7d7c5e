import { type AtomicPart, type AtomicRun, type DeliveryClaim, type DeliveryCommit, type NewMessage, OperationError } from '@treadle/api';

/** Entries and messages that one run may touch, and how long all of its texts may be together. */
const MOST_WRITES = 10_000;
const MOST_LENGTH = 64_000_000;

/** Keeps what a handler does until its delivery is acknowledged. */
export class BufferedRun implements AtomicRun {
  /** Something that it read has changed: it cannot be committed. */
  conflicted = false;
  /** Its commit is on its way to the store. */
  committing = false;
  private readonly parts = new Map<string, AtomicPart>();
  private readonly messages: NewMessage[] = [];
  private running = 0;
  private writes = 0;
  private length = 0;
  private quiet: (() => void) | undefined;
  private over = false;

  /** Something goes along with the acknowledgement, or is to happen after it. */
  get touched(): boolean {
    return this.parts.size > 0 || this.messages.length > 0;
  }

  async within<T>(operation: () => Promise<T>): Promise<T> {
    if (this.over) throw new OperationError('StaleDelivery', 'the run that the operation belongs to is over');
    this.running += 1;
    try {
      return await operation();
    } finally {
      this.running -= 1;
      if (this.running === 0) this.quiet?.();
    }
  }

  part<P extends AtomicPart>(name: string, make: () => P): P {
    const part = this.parts.get(name) ?? make();
    this.parts.set(name, part);
    return part as P;
  }

  enqueue(messages: readonly NewMessage[]): void {
    this.keep(messages.length, messages.reduce((length, { data }) => length + data.length, 0));
    this.messages.push(...messages);
  }

  keep(writes: number, bytes: number): void {
    this.writes += writes;
    this.length += bytes;
    if (this.writes <= MOST_WRITES && this.length <= MOST_LENGTH) return;
    throw new OperationError('AtomicTooLarge', `an atomic run may read and write ${MOST_WRITES} entries and messages of ${MOST_LENGTH / 1_000_000} MB together; split its work into several messages`);
  }

  conflict(what: string): never {
    this.conflicted = true;
    throw new OperationError('AtomicConflict', `${what} has changed since this run read it; the run begins again`);
  }

  /** The handler has ended: nothing more begins. `done` is called once nothing is under way any more. */
  end(done: () => void): void {
    this.over = true;
    if (this.running === 0) done();
    else this.quiet = done;
  }

  commitOf(claim: DeliveryClaim): DeliveryCommit {
    return { settle: { action: 'done', claim }, enqueue: this.messages, writes: [...this.parts.values()].flatMap((part) => part.writes()) };
  }

  committed(): void {
    for (const part of this.parts.values()) part.committed();
  }
}
