import type { StoreWrite } from '../blocks/delivery-commit.js';
import type { NewMessage } from '../blocks/queue-messages.js';

/** What one module keeps for a run until it is committed. */
export interface AtomicPart {
  /** All that it read and wrote: each key or item once. */
  writes(): readonly StoreWrite[];
  /** All of it is durable. Must not throw. */
  committed(): void;
}

/**
 * The run of a handler whose Step has `atomic: true`. Nothing that it enqueues or writes is stored before its delivery is acknowledged:
 * the modules behind `ctx` keep it here, and all of it is committed with the acknowledgement, or nothing.
 */
export interface AtomicRun {
  /** Does an operation of the run; the run is not committed before it has ended. @throws OperationError `StaleDelivery` when the run is over */
  within<T>(operation: () => Promise<T>): Promise<T>;
  /** The part of the module with this name, made when it is asked for the first time. */
  part<P extends AtomicPart>(name: string, make: () => P): P;
  /** These are stored as one batch with the end of the run. @throws OperationError `AtomicTooLarge` */
  enqueue(messages: readonly NewMessage[]): void;
  /** So much more is kept. @throws OperationError `AtomicTooLarge` when it is more than a run may have */
  keep(writes: number, bytes: number): void;
  /** Something that it has read has changed since: it is run again, whatever becomes of it. @throws OperationError `AtomicConflict` always */
  conflict(what: string): never;
}
