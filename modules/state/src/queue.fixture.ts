import type { ChangeFeed, ChangeSource, ChangeSubject, QueuePort, StoredChange } from '@treadle/api';

/** A queue that takes changes only when it is told to. */
export class HeldQueue implements QueuePort {
  source: ChangeSource | undefined;
  told = 0;
  closed = false;
  /** What a feed waits for before it is closed. */
  underWay: Promise<void> | undefined;

  constructor(private readonly wanted: (subject: ChangeSubject) => boolean) {}

  enqueue(): Promise<never> {
    return Promise.reject(new Error('state enqueues nothing itself'));
  }

  deliver(): Promise<{ messageId: string }> {
    return Promise.reject(new Error('nothing is delivered here'));
  }

  attachChanges(source: ChangeSource): ChangeFeed {
    this.source = source;
    return {
      wants: this.wanted,
      recorded: () => void (this.told += 1),
      close: async () => {
        await this.underWay;
        this.closed = true;
      },
    };
  }

  /** What is pending, which it then settles. */
  async take(): Promise<readonly StoredChange[]> {
    const changes = await this.source?.pending(100) ?? [];
    await this.source?.settle(changes.map(({ id }) => id));
    return changes;
  }
}

/** Subjects of one group. */
export const inGroup = (group: string) => (subject: ChangeSubject): boolean => subject.kind === 'state' && subject.group === group;
