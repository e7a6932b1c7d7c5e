import type {
  ClaimRequest, Clock, CommitOutcome, DeadLetterPage, DeadLetterSelection, DeliveryClaim, DeliveryCommit, EnqueueOutcome, Logger, NewMessage, PeekedDelivery, QueueDelivery,
  QueueExpired, QueueExpiry, Redrive, Settlement, StoredSubscription, SubscriptionChange, SubscriptionKey, SubscriptionStatistics, Timer, Unsubscribe,
} from '@treadle/api';
import type { SqliteStore } from '../store/sqlite-store.js';
import { applyUntilFewer } from '../store/sweeping.js';
import { DeliveryCommits } from './delivery-commits.js';
import { DueClock } from './due-clock.js';
import { Enqueuer } from './enqueuer.js';
import { Lanes } from './lanes.js';
import type { Lane, LaneSurroundings } from './lane.js';
import { LetterOffice } from './letter-office.js';
import { LookBudget } from './look-budget.js';
import { QueueReader } from './queue-reader.js';
import { DueListeners, type QueueWork, WriteGate } from './queue-work.js';
import { Settler } from './settler.js';
import { SubscriptionChanger } from './subscription-changer.js';

/** How often keys of messages are forgotten and retirements that failed are gone on with; milliseconds. */
const TIDY_EVERY = 60_000;
/** Keys that are forgotten at once. */
const FORGET = 1_000;

const TABLES = new WeakMap<SqliteStore, QueueTable>();

export interface QueueTableOptions {
  readonly store: SqliteStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** Waiting messages in memory. */
  readonly memoryBytes: number;
}

/** The queue of one store: all that adapters do, shared by those that have the same file, because claims are held here. */
export class QueueTable {
  private readonly work: QueueWork;
  private readonly listeners = new DueListeners();
  private readonly enqueuer: Enqueuer;
  private readonly settler: Settler;
  private readonly commits: DeliveryCommits;
  private readonly changer: SubscriptionChanger;
  private readonly office: LetterOffice;
  private readonly looks = new LookBudget<Lane>((lanes) => this.tellOf(lanes));
  private readonly tidying: Timer;
  /** What an earlier engine had begun has been ended. */
  readonly resumed: Promise<void>;
  private users = 0;
  private epochs = 0;

  private constructor({ store, clock, log, memoryBytes }: QueueTableOptions) {
    const reader = new QueueReader(store.reads);
    const due = new DueClock(clock, reader);
    const prefix = `${store.identity.starts.toString(36)}-`;
    const around: LaneSurroundings = {
      reader, memory: { bytes: 0, maxBytes: memoryBytes }, looks: this.looks, cursor: () => due.cursor, nextEpoch: () => prefix + (this.epochs += 1).toString(36),
    };
    const lanes = new Lanes(around);
    const noted = (act: Promise<unknown>): void => void act.catch((error: Error) => log.debug('work on the queue failed', { reason: error.message }));
    const touched: QueueWork['touched'] = new Set();
    this.work = {
      store, reader, lanes, due, gate: new WriteGate(), touched, tell: () => this.listeners.tell(touched), now: () => clock.now(),
      finished: (lane) => noted(this.changer.drop(lane)),
    };
    this.enqueuer = new Enqueuer(this.work);
    this.settler = new Settler(this.work);
    this.commits = new DeliveryCommits(this.work, this.settler, this.enqueuer);
    this.changer = new SubscriptionChanger(this.work);
    this.office = new LetterOffice(this.work);
    due.start(this.dueListener());
    this.tidying = clock.every(TIDY_EVERY, () => {
      noted(applyUntilFewer(store, 'queue.forget', FORGET, () => [clock.now(), FORGET]));
      noted(this.changer.resume());
    });
    this.resumed = this.changer.resume().catch((error: Error) => log.warn('a retirement cannot be ended now', { reason: error.message }));
  }

  /** The queue of a store; `leave` ends the use. */
  static of(options: QueueTableOptions): { readonly table: QueueTable; leave(): void } {
    const table = TABLES.get(options.store) ?? new QueueTable(options);
    TABLES.set(options.store, table);
    table.users += 1;
    return { table, leave: () => table.left(options.store) };
  }

  subscriptions(): readonly StoredSubscription[] {
    return this.changer.list();
  }

  changeSubscriptions(changes: readonly SubscriptionChange[]): Promise<void> {
    return this.changer.change(changes);
  }

  enqueueMany(batches: readonly (readonly NewMessage[])[], limits: { readonly maxWaiting: number }): Promise<readonly EnqueueOutcome[]> {
    return this.enqueuer.enqueueMany(batches, limits);
  }

  claimMany(requests: readonly ClaimRequest[]): readonly QueueDelivery[] {
    this.work.due.advance();
    const claimed: QueueDelivery[] = [];
    for (const request of requests) this.work.lanes.get(request)?.claim(request, claimed);
    return claimed;
  }

  settleMany(settlements: readonly Settlement[]): Promise<readonly boolean[]> {
    return this.settler.settleMany(settlements);
  }

  commitMany(commits: readonly DeliveryCommit[], limits: { readonly maxWaiting: number }): Promise<readonly CommitOutcome[]> {
    return this.commits.commitMany(commits, limits);
  }

  holds(claim: DeliveryClaim): boolean {
    return this.work.lanes.get(claim)?.claimed(claim) !== undefined;
  }

  /** Tells, a turn later, of everything that may be claimed already. */
  onDue(listener: (key: SubscriptionKey) => void): Unsubscribe {
    const remove = this.listeners.add(listener);
    const first = setImmediate(() => this.tellOf([...this.work.lanes.all()].filter((lane) => lane.kept > 0)));
    return () => {
      clearImmediate(first);
      remove();
    };
  }

  statistics(): readonly SubscriptionStatistics[] {
    this.work.due.advance();
    this.work.lanes.countUncounted();
    return [...this.work.lanes.all()].filter((lane) => !lane.unrouted && !lane.over).map((lane) => lane.statistics());
  }

  unrouted(): readonly { readonly topic: string; readonly count: number; readonly oldest: number }[] {
    return this.work.lanes.unrouted().filter(({ kept }) => kept > 0).map((lane) => (
      { topic: lane.stored.topic, count: lane.kept, oldest: this.work.reader.oldest(lane) ?? 0 }));
  }

  peek(key: SubscriptionKey, limit: number, after = 0): readonly PeekedDelivery[] {
    const lane = this.work.lanes.get(key);
    const now = this.work.now();
    return (lane ? this.work.reader.peek(lane, limit, after) : []).map(({ delivery, dueAt }) => {
      const { epoch: _epoch, settling: _settling, ...shown } = delivery;
      return { ...shown, active: lane?.claims.has(delivery.deliveryId) ?? false, ...dueAt !== undefined && dueAt > now && { dueAt } };
    });
  }

  purge(key: SubscriptionKey): Promise<number> {
    return this.changer.purge(key);
  }

  deadLetterCounts(): readonly (SubscriptionKey & { readonly count: number })[] {
    return this.office.counts();
  }

  deadLetters(selection: DeadLetterSelection, page: { readonly limit: number; readonly cursor?: string | undefined }): DeadLetterPage {
    return this.office.page(selection, page);
  }

  redrive(redrive: Redrive): Promise<number> {
    return this.office.redrive(redrive);
  }

  discard(selection: DeadLetterSelection, limit: number): Promise<number> {
    return this.office.discard(selection, limit);
  }

  expire(expiry: QueueExpiry): Promise<QueueExpired> {
    return this.office.expire(expiry);
  }

  private dueListener(): Parameters<DueClock['start']>[0] {
    return {
      due: ({ lane: number, number: id, tried }) => {
        const lane = this.work.lanes.numbered(number);
        if (lane?.arrived(id, tried)) this.work.touched.add(lane);
      },
      dueMany: (number) => {
        const lane = this.work.lanes.numbered(number);
        lane?.arrivedMany();
        if (lane) this.work.touched.add(lane);
      },
      told: () => this.work.tell(),
      setBack: () => this.work.lanes.recount(),
    };
  }

  private tellOf(lanes: readonly Lane[]): void {
    for (const lane of lanes) this.work.touched.add(lane);
    this.work.tell();
  }

  private left(store: SqliteStore): void {
    this.users -= 1;
    if (this.users > 0) return;
    TABLES.delete(store);
    this.work.due.stop();
    this.looks.stop();
    this.tidying.cancel();
  }
}
