import { Adapter, type AdapterSpec, type CommitOutcome, type Ctor, type DeliveryCommit, type EnqueueOutcome, type NewMessage, type QueueAdapter, type Settlement } from '@treadle/api';
import { SqliteQueueAdapter } from '@treadle/plugin-sqlite';
import type { Activity } from './activity.js';
import type { Captured } from './captured.js';

/** What the class tells of. */
export interface QueueWatch {
  readonly activity: Activity;
  readonly captured: Captured;
  /** The one that the engine made. */
  readonly made: (queue: QueueAdapter) => void;
}

/** The embedded queue of one engine, whose messages are captured and whose writes are waited for. */
export function watchedQueue({ activity, captured, made }: QueueWatch, spec: AdapterSpec): Ctor<QueueAdapter> {
  class WatchedQueue extends SqliteQueueAdapter {
    override async init(context: Parameters<SqliteQueueAdapter['init']>[0]): Promise<void> {
      made(this);
      await super.init(context);
    }

    override enqueueMany(batches: readonly (readonly NewMessage[])[], limits: { readonly maxWaiting: number }): Promise<readonly EnqueueOutcome[]> {
      return activity.during('a message is being stored', async () => {
        const outcomes = await super.enqueueMany(batches, limits);
        captured.enqueued(batches, outcomes);
        return outcomes;
      });
    }

    override commitMany(commits: readonly DeliveryCommit[], limits: { readonly maxWaiting: number }): Promise<readonly CommitOutcome[]> {
      return activity.during('a delivery is being committed', async () => {
        const outcomes = await super.commitMany(commits, limits);
        const stored = commits.filter(({ enqueue }, index) => enqueue.length > 0 && outcomes[index]?.ok).map(({ enqueue }) => enqueue);
        captured.enqueued(stored, outcomes.filter((outcome, index) => outcome.ok && commits[index]?.enqueue.length !== 0) as readonly EnqueueOutcome[]);
        return outcomes;
      });
    }

    override settleMany(settlements: readonly Settlement[]): Promise<readonly boolean[]> {
      return activity.during('a delivery is being settled', () => super.settleMany(settlements));
    }
  }
  Adapter(spec)(WatchedQueue);
  return WatchedQueue as unknown as Ctor<QueueAdapter>;
}
