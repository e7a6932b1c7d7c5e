import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, DueClock, type Logger, type SubscriptionChange, type SubscriptionKey, type Unsubscribe } from '@treadle/api';
import { Lease } from '../store/lease.js';
import type { NatsStore } from '../store/nats-store.js';
import { Housekeeping } from './housekeeping.js';
import type { Command, LogEntry, WireClaim } from './machine/commands.js';
import { epochHead, textOf } from './machine/delivery.js';
import type { Claimed, Outcome, QueueMachine } from './machine/queue-machine.js';
import type { SubscriptionQueue } from './machine/subscription-queue.js';
import { OtherMembers } from './other-members.js';
import { QueueLog } from './queue-log.js';
import { Replica } from './replica.js';
import { Snapshots } from './snapshots.js';
import { Writer } from './writer.js';

/** How soon a claim that left others their share is tried again; milliseconds. */
const AGAIN_MS = 10;
/** How soon it is said again that something is due; milliseconds. */
const DUE_AGAIN_MS = 50;
/** In this time an engine that lives writes something, also when the server has just come back; milliseconds. */
const SIGN_MS = 1_500;

/** The queue of one store as one engine sees it. */
export class SharedQueue {
  readonly store: NatsStore;
  private readonly due: DueClock;
  private readonly dueListeners = new Set<(key: SubscriptionKey) => void>();
  private readonly subscriptionListeners = new Set<() => void>();
  private readonly votes = new Map<string, SubscriptionKey>();
  /** Numbers of subscriptions for the clock, and back. */
  private readonly numbers = new Map<string, number>();
  private readonly keys: SubscriptionKey[] = [];
  private readonly again = new Set<string>();
  private readonly others = new OtherMembers();
  private unclaimed: WireClaim[] = [];
  private version = -1;
  private beating: Promise<void> = Promise.resolve();
  private unlisten: Unsubscribe = () => undefined;

  private constructor(private readonly clock: Clock, readonly writer: Writer, readonly replica: Replica, readonly housekeeping: Housekeeping) {
    this.store = replica.store;
    this.writer.votes = () => [...this.votes.values()];
    housekeeping.removed = (seqs) => this.run(() => ({ op: 'removed', seqs }));
    this.due = new DueClock(clock, this.store.time, (numbers) => this.fallenDue(numbers));
    replica.listener = { applied: (entry, outcome) => this.applied(entry, outcome), renewed: () => this.renewed() };
  }

  /**
   * @param copies it is opened to be copied
   * @throws {SERVICE_UNAVAILABLE} or {STORE_NEWER}; {STORE_IN_USE} while it is copied, or where a copy finds it used; {COPY_UNFINISHED} when it is half of one
   */
  static async open(store: NatsStore, { clock, log, copies = false }: { readonly clock: Clock; readonly log: Logger; readonly copies?: boolean }): Promise<SharedQueue> {
    const records = await store.records();
    const queueLog = new QueueLog(store, await store.log('queue', 'q'));
    const snapshots = new Snapshots(queueLog, records);
    const replica = new Replica(queueLog, snapshots, log);
    const housekeeping = new Housekeeping(replica, snapshots, new Lease(store, records, 'queue-snapshot'), log);
    const queue = new SharedQueue(clock, new Writer(queueLog, replica, copies), replica, housekeeping);
    try {
      await replica.open();
      await queue.writer.run(() => ({ op: 'look' }));
      await replica.settled();
      if (!copies) await queue.buryGone();
      queue.unlisten = store.listen({ beat: (anew) => (queue.beating = queue.beat(anew)), away: () => queue.writer.away() });
      return queue;
    } catch (error) {
      replica.close();
      throw error;
    }
  }

  /** When the server made the log: tells it from one of the same name that was there before. */
  get created(): string {
    return this.replica.log.created;
  }

  get machine(): QueueMachine {
    return this.replica.machine;
  }

  /** As `Writer.run`. */
  run<T>(command: (first: number) => Command, bodies?: readonly Buffer[], about?: number): Promise<T> {
    return this.writer.run(command, bodies, about);
  }

  /** The queue after everything that was acknowledged before the call. */
  async fresh(): Promise<QueueMachine> {
    await this.run(() => ({ op: 'look' }));
    return this.machine;
  }

  async changeSubscriptions(changes: readonly SubscriptionChange[]): Promise<void> {
    for (const change of changes) {
      if (change.action === 'put') this.votes.set(textOf(change.subscription), { step: change.subscription.step, topic: change.subscription.topic });
      if (change.action === 'retire') this.votes.delete(textOf(change.key));
    }
    await this.run(() => ({ op: 'subscriptions', changes }));
  }

  onDue(listener: (key: SubscriptionKey) => void): Unsubscribe {
    this.dueListeners.add(listener);
    return () => void this.dueListeners.delete(listener);
  }

  onSubscriptions(listener: () => void): Unsubscribe {
    this.subscriptionListeners.add(listener);
    return () => void this.subscriptionListeners.delete(listener);
  }

  /** Something can be claimed that this engine was not to take yet. */
  wakeLater(key: SubscriptionKey): void {
    if (this.again.size === 0) {
      this.clock.after(AGAIN_MS, () => {
        const keys = [...this.again].flatMap((text) => this.machine.subscriptions.byKey.get(text)?.stored ?? []);
        this.again.clear();
        for (const each of keys) this.tell(each);
      });
    }
    this.again.add(textOf(key));
  }

  /** Gives up claims that nobody is told of. */
  forget(claimed: readonly Claimed[]): void {
    for (const { step, topic, taken } of claimed) for (const { id, held } of taken) this.unclaimed.push({ step, topic, id, epoch: held?.epoch ?? '' });
    // Else with the next beat.
    this.freeUnclaimed().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.unlisten();
    // What a beat fails with is known from its own call.
    await this.beating.catch(() => undefined);
    await this.housekeeping.close();
    // Others find out by its silence.
    await this.writer.leave().catch(() => undefined);
    this.replica.close();
    this.due.close();
    this.dueListeners.clear();
    this.subscriptionListeners.clear();
  }

  private async beat(anew: boolean): Promise<void> {
    await this.replica.look(anew);
    await this.run(() => ({ op: 'look' }));
    if (anew) this.tellAll();
    await this.freeUnclaimed();
    await this.bury(this.others.silent(this.machine, this.writer.member));
    if (!this.writer.copies) this.housekeeping.look();
  }

  /** At a start. The server may have been away until just now, and with it all that lives: who writes meanwhile is not buried. */
  private async buryGone(): Promise<void> {
    const gone = this.others.gone(this.machine, this.writer.member);
    if (gone.length === 0) return;
    await sleep(SIGN_MS);
    await this.bury(gone);
  }

  private async bury(members: readonly { readonly member: string; readonly seen: number }[]): Promise<void> {
    await Promise.all(members.map(({ member, seen }) => this.run(() => ({ op: 'bury', member, seen }))));
  }

  private async freeUnclaimed(): Promise<void> {
    const claims = this.unclaimed;
    if (claims.length === 0) return;
    this.unclaimed = [];
    try {
      await this.run(() => ({ op: 'release', claims }));
    } catch (error) {
      this.unclaimed.push(...claims);
      throw error;
    }
  }

  private applied(entry: LogEntry, outcome: Outcome): void {
    for (const { stored } of this.machine.takeNews()) this.tell(stored);
    this.noteDues();
    if (this.machine.subscriptions.version !== this.version) this.tellSubscriptions();
    if (this.writer.landed(entry, outcome) && 'results' in outcome) {
      entry.commands.forEach(({ op }, index) => {
        if (op === 'claim') this.forget(outcome.results[index] as readonly Claimed[]);
      });
    }
  }

  /** Whoever was refused while the server was away tries again. */
  private tellAll(): void {
    for (const { stored, claimable, retired } of this.machine.subscriptions.byKey.values()) if (claimable > 0 && !retired && !stored.paused) this.tell(stored);
  }

  private renewed(): void {
    this.forgetMissed();
    this.tellAll();
    this.noteDues();
    this.tellSubscriptions();
  }

  /** Claims that were made by entries that never come. */
  private forgetMissed(): void {
    const { member } = this.writer;
    const missed = this.writer.missed().map((number) => epochHead(member, number));
    for (const { stored: { step, topic }, deliveries } of missed.length > 0 ? this.machine.subscriptions.byKey.values() : []) {
      for (const { id, held } of deliveries.values()) {
        if (held && missed.some((head) => held.epoch.startsWith(head))) this.unclaimed.push({ step, topic, id, epoch: held.epoch });
      }
    }
    // Else with the next beat.
    this.freeUnclaimed().catch(() => undefined);
  }

  /** @param earliest by the store's time */
  private noteDues(earliest = 0): void {
    for (const [text, queue] of this.machine.subscriptions.byKey) {
      const next = queue.retired ? undefined : queue.nextAt();
      if (next !== undefined) this.due.note(this.numberOf(text, queue), Math.max(next, earliest));
    }
  }

  /** It stays due until an entry comes that is late enough. While none can be written nobody is told: the first one after that says what is due. */
  private fallenDue(numbers: readonly number[]): void {
    if (!this.store.reachable) return;
    this.noteDues(this.store.time.now() + DUE_AGAIN_MS);
    for (const number of numbers) {
      const queue = this.machine.subscriptions.living(this.keys[number] as SubscriptionKey);
      if (queue && !queue.stored.paused && (queue.claimable > 0 || (queue.nextAt() ?? Infinity) <= this.store.time.now())) this.tell(queue.stored);
    }
  }

  private numberOf(text: string, { stored: { step, topic } }: SubscriptionQueue): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    this.numbers.set(text, this.keys.length);
    return this.keys.push({ step, topic }) - 1;
  }

  private tell({ step, topic }: SubscriptionKey): void {
    for (const listener of this.dueListeners) listener({ step, topic });
  }

  private tellSubscriptions(): void {
    this.version = this.machine.subscriptions.version;
    for (const listener of this.subscriptionListeners) listener();
  }
}
