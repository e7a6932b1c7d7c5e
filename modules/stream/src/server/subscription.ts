import type { StreamGroup } from '@treadle/api';
import type { HookSubscription } from '../access/hooks.js';
import type { Subscriber } from '../rooms/room.js';
import type { Outbox } from './outbox.js';

/** One thing that a client follows. */
export class Subscription implements Subscriber {
  over = false;
  /** Resolves when the stream's file knows of the join; set once it was granted. */
  joined: Promise<void> | undefined;

  constructor(
    readonly group: StreamGroup, readonly subscriptionId: string, readonly id: string | undefined, private readonly outbox: Outbox,
  ) {}

  /** As the functions of the stream's file see it. */
  get forHooks(): HookSubscription {
    const { subscriptionId, group: { stream: streamName, groupId }, id } = this;
    return { subscriptionId, streamName, groupId, ...(id === undefined ? {} : { id }) };
  }

  deliver(frame: Buffer): void {
    this.outbox.add(frame);
  }

  catchUp(frames: readonly Buffer[]): void {
    this.outbox.addCatchUp(frames);
  }
}
