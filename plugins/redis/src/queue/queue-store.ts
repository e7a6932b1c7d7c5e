import type { Clock, Settlement, SubscriptionChange, Unsubscribe } from '@treadle/api';
import type { RedisStore } from '../store/redis-store.js';
import { Script } from '../store/script.js';
import { Adopter } from './adopter.js';
import { Claimer } from './claimer.js';
import { COMMIT } from './commit-script.js';
import { DeadLetters } from './dead-letters.js';
import { DeliveryCommits } from './delivery-commits.js';
import { Enqueuer } from './enqueuer.js';
import * as operatorScripts from './operator-scripts.js';
import { QueueExpirer } from './queue-expiry.js';
import { QueueReader } from './queue-reader.js';
import { QueueWork } from './queue-work.js';
import { Settler } from './settler.js';
import { SubscriptionChanger } from './subscription-changer.js';
import * as subscriptionScripts from './subscription-scripts.js';
import * as workScripts from './work-scripts.js';
import { VOID } from './work-scripts.js';

/** Beats between two times of forgetting used keys. */
const FORGET_BEATS = 60;

const ALL = [workScripts, operatorScripts, subscriptionScripts].flatMap((scripts) => Object.values(scripts));
const VOIDED = new Script('queue.voided', "return redis.call('SMEMBERS', base .. 'q:void')", false);
const VOID_DONE = new Script('queue.void-done', "redis.call('SREM', base .. 'q:void', ARGV[1]) redis.call('HDEL', base .. 'q:given-up', ARGV[1])", false);

/** The queue of one prefix as one engine sees it. */
export class QueueStore {
  readonly enqueuer: Enqueuer;
  readonly claimer: Claimer;
  readonly reader: QueueReader;
  readonly letters: DeadLetters;
  readonly expirer: QueueExpirer;
  readonly work: QueueWork;
  readonly commits: DeliveryCommits;
  readonly adopter: Adopter;
  private readonly settler: Settler;
  private readonly changer: SubscriptionChanger;
  private readonly listeners = new Set<() => void>();
  private readonly unlisten: readonly Unsubscribe[];
  private beats = 0;
  /** Version of the subscriptions that listeners were last told of. */
  private told = -1;

  private constructor(store: RedisStore, clock: Clock) {
    this.work = new QueueWork(store, clock);
    this.changer = new SubscriptionChanger(this.work);
    this.enqueuer = new Enqueuer(this.work);
    this.claimer = new Claimer(this.work);
    this.settler = new Settler(this.work, this.claimer.limited, () => this.changer.gone());
    this.commits = new DeliveryCommits(this.work, this.settler, this.enqueuer);
    this.reader = new QueueReader(this.work);
    this.adopter = new Adopter(this.work);
    this.letters = new DeadLetters(this.work);
    this.expirer = new QueueExpirer(this.work, this.letters);
    this.unlisten = [
      store.listen({ beat: () => this.beat() }),
      store.on('due', (sub) => this.work.wake([Number(sub)], false)),
      store.on('subscriptions', () => void this.renew().catch(() => undefined)),
      store.on('members', () => void this.voidGone().catch(() => undefined)),
    ];
  }

  static async open(store: RedisStore, clock: Clock): Promise<QueueStore> {
    const queue = new QueueStore(store, clock);
    try {
      await store.register([...ALL, COMMIT, VOIDED, VOID_DONE]);
      await queue.work.reload();
      queue.told = queue.work.list.version;
      await queue.voidGone();
      await queue.changer.buryRetired();
      await queue.work.look();
      return queue;
    } catch (error) {
      queue.close();
      throw error;
    }
  }

  changeSubscriptions(changes: readonly SubscriptionChange[]): Promise<void> {
    return this.changer.change(changes);
  }

  settleMany(settlements: readonly Settlement[]): Promise<readonly boolean[]> {
    return this.settler.settleMany(settlements);
  }

  onSubscriptions(listener: () => void): Unsubscribe {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  close(): void {
    for (const unlisten of this.unlisten) unlisten();
    this.work.close();
    this.listeners.clear();
  }

  /** Finds what no notice told, and what engines that are gone have left. */
  private async beat(): Promise<void> {
    const { work } = this;
    await work.reload();
    // Not by the list before: whatever is refused for an old list reads it again as well.
    if (work.list.version !== this.told) this.tell();
    await this.changer.keepVotes();
    await this.voidGone();
    await this.claimer.freeUnknown();
    await this.changer.buryRetired();
    await work.look();
    this.beats += 1;
    if (this.beats % FORGET_BEATS === 0) await this.expirer.forget();
  }

  /** Frees what members had claimed that are gone. */
  private async voidGone(): Promise<void> {
    const { work } = this;
    const members = await work.run<readonly string[]>(VOIDED, []);
    if (members.length === 0) return;
    await work.reload();
    for (const member of members) {
      for (const { number } of work.list.all) if (await work.run<number>(VOID, [number, `${member}.`]) > 0) work.wake([number], true);
      await work.run(VOID_DONE, [member]);
    }
  }

  private async renew(): Promise<void> {
    await this.work.reload();
    this.tell();
    await this.work.look();
  }

  private tell(): void {
    this.told = this.work.list.version;
    for (const listener of this.listeners) listener();
  }
}
