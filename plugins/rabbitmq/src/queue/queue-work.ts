import { type Clock, type DeliveryClaim, type NewMessage, type QueueAdapter, type StoredSubscription, type SubscriptionChange, type SubscriptionKey, TaskLane } from '@treadle/api';
import { Lane } from './lane.js';
import type { LaneParts } from './lane-parts.js';
import { apart, noteOf, withNotes } from './retired-lanes.js';
import { SubscriptionList, textOf } from './subscription-list.js';
import { WaitingCounts } from './waiting-counts.js';

/** What of the surroundings a lane is given. */
export type Server = Pick<LaneParts, 'exchange' | 'arguments' | 'prefetch' | 'ask' | 'keepForeign'> & { reach(): Promise<void> };

/** What the parts of the queue have in common: the second store, the lanes of the server, and which subscription goes where. */
export class QueueWork {
  list = new SubscriptionList([]);
  /** Ended, and perhaps not with everything on the server. */
  noted: readonly SubscriptionKey[] = [];
  readonly counts = new WaitingCounts(this);
  /** Subscriptions are read and changed one after the other: what was read before a change never stands for what is so after it. */
  private readonly changing = new TaskLane();
  /** How often they have been changed from here, and how often before `list` and `noted` were read. */
  private changes = 0;
  private changesRead = 0;
  private readonly lanes = new Map<string, Lane>();
  /** Subscriptions with a limit over all engines: the second store counts. */
  private readonly limited = new Set<string>();
  /** The second store may have something to claim. */
  private readonly inStore = new Map<string, boolean>();
  private readonly listeners = new Set<(key: SubscriptionKey) => void>();
  private number = Date.now() * 1_000;

  constructor(readonly store: QueueAdapter, readonly clock: Clock, private readonly server: Server) {}

  /** Reads the subscriptions again. */
  reload(): Promise<readonly StoredSubscription[]> {
    return this.changing.run(() => this.read());
  }

  /** Changes subscriptions, and notes those that end. @throws {OperationError} */
  async change(changes: readonly SubscriptionChange[]): Promise<void> {
    await this.changing.run(async () => {
      this.changes += 1;
      await this.store.changeSubscriptions(withNotes(changes, (key) => this.isCarried(key)));
      await this.read();
    });
  }

  /** The server may carry deliveries of this subscription; else they are in the second store, or gone. */
  isCarried(key: SubscriptionKey): boolean {
    const found = this.list.get(key);
    return found !== undefined && !found.fifo && !this.isLimited(key);
  }

  /** Whose delivery the server may carry: a message that is due, is for one subscription, and has nothing that the second store has to know. */
  carrierOf(batch: readonly NewMessage[]): StoredSubscription | undefined {
    const [message] = batch;
    if (!message || batch.length > 1 || message.dedupeKey !== undefined || (message.dueAt ?? 0) > this.clock.now()) return undefined;
    const targets = this.list.targetsOf(message);
    const [target] = targets;
    return target && targets.length === 1 && target.delayMs === 0 && this.isCarried(target) ? target : undefined;
  }

  /** Several engines have to agree on how many are claimed. True when that is news. */
  limit(key: SubscriptionKey): boolean {
    if (this.isLimited(key)) return false;
    this.limited.add(textOf(key));
    return true;
  }

  isLimited(key: SubscriptionKey): boolean {
    return this.limited.has(textOf(key));
  }

  lane(key: SubscriptionKey): Lane {
    const text = textOf(key);
    const found = this.lanes.get(text);
    if (found) return found;
    const { step, topic } = key;
    const lane = new Lane({ step, topic }, {
      ...this.server, number: () => this.number += 1, adopt: (deliveries) => this.adopt(deliveries), isCarried: (one) => this.isCarried(one), due: (one) => this.wake(one),
    });
    this.lanes.set(text, lane);
    return lane;
  }

  /** The lane that a claim is of; undefined for one of the second store. */
  laneOf(claim: DeliveryClaim): Lane | undefined {
    return claim.epoch.startsWith('r:') ? this.lane(claim) : undefined;
  }

  /** @throws {OperationError} StorageUnavailable without a connection to the server */
  async reach(): Promise<void> {
    await this.server.reach();
  }

  openLanes(): readonly Lane[] {
    return [...this.lanes.values()];
  }

  /** What the server must not hand out any more goes into the second store. @throws {OperationError} */
  async drainUncarried(): Promise<void> {
    const { changesRead } = this;
    const open = this.openLanes().filter((lane) => lane.isOpen);
    const lanes = new Set([...open, ...this.noted.map((key) => this.lane(key))]);
    await Promise.all([...lanes].filter((lane) => !this.isCarried(lane.key)).map((lane) => lane.drain()));
    const ended: SubscriptionKey[] = [];
    for (const key of this.noted) {
      if (this.list.get(key) !== undefined || await this.lane(key).leave()) ended.push(key);
    }
    if (ended.length > 0) await this.changing.run(() => this.removeNotes(ended, changesRead));
  }

  mayBeInStore(key: SubscriptionKey): boolean {
    return this.inStore.get(textOf(key)) ?? true;
  }

  noteInStore(key: SubscriptionKey, may: boolean): void {
    this.inStore.set(textOf(key), may);
  }

  onDue(listener: (key: SubscriptionKey) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  wake(key: SubscriptionKey): void {
    for (const listener of this.listeners) listener(key);
  }

  adopt(deliveries: Parameters<NonNullable<QueueAdapter['adoptMany']>>[0]): Promise<readonly boolean[]> {
    for (const delivery of deliveries) this.noteInStore(delivery, true);
    this.counts.added(deliveries);
    return this.store.adoptMany?.(deliveries) ?? Promise.reject(new Error('the second store takes no deliveries of others'));
  }

  /** What the lanes hold goes back with the connection. */
  close(): void {
    this.listeners.clear();
    for (const lane of this.openLanes()) lane.lost();
  }

  private async read(): Promise<readonly StoredSubscription[]> {
    const before = this.list;
    const { living, noted } = apart(await this.store.subscriptions());
    this.list = new SubscriptionList(living);
    this.noted = noted;
    this.changesRead = this.changes;
    for (const one of this.list.all) if (!one.paused && before.get(one)?.paused !== false) this.wake(one);
    return this.list.all;
  }

  /** Notes that have been found to be needless. One that a later change may have made anew stays: what follows that change finds it. */
  private async removeNotes(ended: readonly SubscriptionKey[], changesRead: number): Promise<void> {
    if (this.changes !== changesRead) return;
    await this.store.changeSubscriptions(ended.map((key) => ({ action: 'retire', key: noteOf(key), afterMs: 0 })));
    this.noted = this.noted.filter((key) => !ended.includes(key));
  }
}
