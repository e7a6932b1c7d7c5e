import type { StreamGroup, Timer } from '@treadle/api';
import type { HookSubscription } from '../access/hooks.js';
import type { Subscriber } from '../rooms/subscribers.js';
import type { Beginnings } from './beginnings.js';
import type { Outbox } from './outbox.js';

/** One thing that a client follows. */
export class Subscription implements Subscriber {
  over = false;
  /** Resolves when the stream's file knows of the join; set once it was granted. */
  joined: Promise<void> | undefined;
  /** The next try to join once more, after one that failed. */
  again: Timer | undefined;

  /** Joins once more. */
  onStartOver: () => void = () => undefined;
  private reserved = 0;

  // eslint-disable-next-line max-params -- an object more for each subscription otherwise
  constructor(
    readonly group: StreamGroup, readonly subscriptionId: string, readonly id: string | undefined, private readonly outbox: Outbox,
    private readonly beginnings: Beginnings,
  ) {}

  /** As the functions of the stream's file see it. */
  get forHooks(): HookSubscription {
    const { subscriptionId, group: { stream: streamName, groupId }, id } = this;
    return { subscriptionId, streamName, groupId, ...(id === undefined ? {} : { id }) };
  }

  deliver(frame: Buffer): void {
    this.outbox.add(frame);
  }

  startOver(): void {
    this.onStartOver();
  }

  room(bytes: number): Promise<void> | undefined {
    this.leaveRoom();
    this.reserved = bytes;
    return this.beginnings.take(bytes);
  }

  /** Its beginning was read, or will not be. */
  leaveRoom(): void {
    const { reserved } = this;
    this.reserved = 0;
    if (reserved > 0) this.beginnings.give(reserved);
  }

  catchUp(frames: readonly Buffer[]): void {
    this.outbox.addCatchUp(frames);
  }
}
