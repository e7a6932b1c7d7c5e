import type { Clock, Logger, QueueDelivery, Settlement, SubscriptionChange, Unsubscribe } from '@treadle/api';
import type { Notice } from '../store/session.js';
import type { PgStore } from '../store/pg-store.js';
import { Adopter } from './adopter.js';
import { Claimer } from './claimer.js';
import { DeliveryCommits } from './delivery-commits.js';
import { DeadLetters } from './dead-letters.js';
import { Enqueuer } from './enqueuer.js';
import { QueueExpirer } from './queue-expiry.js';
import { QueueReader } from './queue-reader.js';
import { QueueWork } from './queue-work.js';
import { Settler } from './settler.js';
import { SubscriptionChanger } from './subscription-changer.js';

/** Beats between two times of forgetting used keys. */
const FORGET_BEATS = 60;
/** Beats between two times of clearing up, and deliveries that must have gone since. */
const CLEAR_BEATS = 5;
const CLEAR_DELIVERIES = 20_000;
/** What is settled stays in the indexes until then, and each claim passes over it; the server itself comes by once a minute. */
const CLEAR = 'VACUUM (SKIP_LOCKED, TRUNCATE false) queue_deliveries';

/** The queue of one schema as one engine sees it. */
export class QueueStore {
  readonly enqueuer: Enqueuer;
  readonly claimer: Claimer;
  readonly reader: QueueReader;
  readonly letters: DeadLetters;
  readonly expirer: QueueExpirer;
  readonly commits: DeliveryCommits;
  readonly adopter: Adopter;
  readonly work: QueueWork;
  private readonly settler: Settler;
  private readonly changer: SubscriptionChanger;
  private readonly listeners = new Set<() => void>();
  private readonly unlisten: Unsubscribe;
  private beats = 0;
  /** `settler.gone` when it was cleared up last. */
  private cleared = 0;
  private clearing: Promise<void> | undefined;

  private constructor(store: PgStore, clock: Clock, log: Logger) {
    this.work = new QueueWork(store, clock, log);
    this.changer = new SubscriptionChanger(this.work);
    this.enqueuer = new Enqueuer(this.work);
    this.claimer = new Claimer(this.work, (deliveries) => this.settleMany(untouched(deliveries)));
    this.settler = new Settler(this.work, this.claimer.limited, () => this.changer.buryRetired());
    this.commits = new DeliveryCommits(this.work, this.settler, this.enqueuer);
    this.reader = new QueueReader(this.work);
    this.letters = new DeadLetters(this.work);
    this.expirer = new QueueExpirer(this.work, () => this.claimer.returnAhead((deliveries) => this.settler.write(untouched(deliveries))));
    this.adopter = new Adopter(this.work);
    this.unlisten = store.listen({ notice: (notice) => this.notice(notice), beat: () => this.beat() });
  }

  static async open(store: PgStore, clock: Clock, log: Logger): Promise<QueueStore> {
    const queue = new QueueStore(store, clock, log);
    await queue.work.reload();
    queue.work.told = queue.work.list.version;
    await queue.changer.buryRetired();
    await queue.work.look();
    return queue;
  }

  async changeSubscriptions(changes: readonly SubscriptionChange[]): Promise<void> {
    await this.changer.change(changes);
    await this.claimer.returnAhead();
  }

  settleMany(settlements: readonly Settlement[]): Promise<readonly boolean[]> {
    return this.settler.settleMany(settlements);
  }

  onSubscriptions(listener: () => void): Unsubscribe {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.unlisten();
    this.listeners.clear();
    await this.claimer.close();
    this.work.close();
  }

  private notice({ kind, text }: Notice): void {
    if (kind === 'q') this.work.wake(text.split(',').map(Number), false);
    if (kind === 's') void this.renew().catch(() => undefined);
  }

  /** Finds what no notification told, and what engines that are gone have left. */
  private async beat(): Promise<void> {
    const { work } = this;
    await work.reload();
    // Not by the list before: whatever is refused for an old list reads it again as well.
    if (work.list.version !== work.told) await this.tell();
    await this.changer.keepVotes();
    await this.claimer.freeUnknown();
    await this.changer.buryRetired();
    await work.look();
    this.beats += 1;
    if (this.beats % FORGET_BEATS === 0) await this.expirer.forget();
    if (this.beats % CLEAR_BEATS === 0) this.clearUp();
  }

  /** Beside everything else: it may take longer than a beat. */
  private clearUp(): void {
    if (this.clearing || this.settler.gone - this.cleared < CLEAR_DELIVERIES) return;
    this.cleared = this.settler.gone;
    this.clearing = this.work.queries.rows(CLEAR).then(() => undefined, () => undefined).finally(() => { this.clearing = undefined; });
  }

  private async renew(): Promise<void> {
    await this.work.reload();
    await this.tell();
  }

  /** Another engine has changed subscriptions: what was claimed ahead goes by the old ones. */
  private async tell(): Promise<void> {
    const { work } = this;
    // At once: a change of this engine that comes meanwhile goes on from here.
    work.told = work.list.version;
    await this.claimer.returnAhead();
    for (const listener of this.listeners) listener();
    await work.look();
  }
}

/** Back as they were: no handler has seen them. */
function untouched(deliveries: readonly QueueDelivery[]): readonly Settlement[] {
  return deliveries.map((claim) => ({ action: 'return', claim, progress: claim.progress }));
}
