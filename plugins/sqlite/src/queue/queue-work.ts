import type { SubscriptionKey, Unsubscribe } from '@treadle/api';
import type { SqliteStore } from '../store/sqlite-store.js';
import type { DueClock } from './due-clock.js';
import type { Lane } from './lane.js';
import type { Lanes } from './lanes.js';
import type { QueueReader } from './queue-reader.js';

/** What those who work on a store's queue share. */
export interface QueueWork {
  readonly store: SqliteStore;
  readonly reader: QueueReader;
  readonly lanes: Lanes;
  readonly due: DueClock;
  readonly gate: WriteGate;
  /** Lanes that have something new to claim; `tell` says so. */
  readonly touched: Set<Lane>;
  tell(): void;
  /** A retired lane has no deliveries any more. */
  finished(lane: Lane): void;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** Those who want to know what can be claimed. */
export class DueListeners {
  private readonly listeners = new Set<(key: SubscriptionKey) => void>();

  add(listener: (key: SubscriptionKey) => void): Unsubscribe {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Tells of each lane and empties the set. */
  tell(touched: Set<Lane>): void {
    if (touched.size === 0) return;
    const lanes = [...touched];
    touched.clear();
    for (const { stored: { step, topic }, unrouted } of lanes) {
      if (unrouted) continue;
      for (const listener of this.listeners) listener({ step, topic });
    }
  }
}

/** Lets many write messages at once, or one change subscriptions while nothing of the others is under way. */
export class WriteGate {
  private closed: Promise<void> | undefined;
  private inside = 0;
  private emptied: (() => void) | undefined;

  /** Undefined when it is open; then `enter` and `leave` follow. */
  get waiting(): Promise<void> | undefined {
    return this.closed;
  }

  enter(): void {
    this.inside += 1;
  }

  leave(): void {
    this.inside -= 1;
    if (this.inside === 0) this.emptied?.();
  }

  /** Runs `act` alone. */
  async exclusive<T>(act: () => Promise<T>): Promise<T> {
    while (this.closed) await this.closed;
    let open = (): void => undefined;
    this.closed = new Promise((resolve) => {
      open = resolve;
    });
    try {
      if (this.inside > 0) await new Promise<void>((resolve) => void (this.emptied = resolve));
      return await act();
    } finally {
      this.emptied = undefined;
      this.closed = undefined;
      open();
    }
  }
}
