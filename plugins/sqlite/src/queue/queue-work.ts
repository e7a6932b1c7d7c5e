import type { SubscriptionKey, Unsubscribe } from '@treadle/api';
import type { SqliteStore } from '../store/sqlite-store.js';
import type { DueClock } from './due-clock.js';
import type { Lane } from './lane.js';
import type { Lanes } from './lanes.js';
import type { QueueReader } from './queue-reader.js';
import type { WriteGate } from './write-gate.js';

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
