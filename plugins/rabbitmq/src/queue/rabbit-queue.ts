import type { Clock, Logger, ModuleContext, QueueAdapter, StoredSubscription, SubscriptionChange, SubscriptionKey, Unsubscribe } from '@treadle/api';
import type { RabbitMqConfig } from '../server/rabbit.config.js';
import { RabbitServer } from '../server/rabbit-server.js';
import { Claimer } from './claimer.js';
import { Enqueuer } from './enqueuer.js';
import { ForeignMessages, foreignQueue } from './foreign-messages.js';
import { QueueOperator } from './queue-operator.js';
import { QueueWork } from './queue-work.js';
import { Settler } from './settler.js';

/** How often what subscriptions that have ended left on the server is looked for; milliseconds. */
const SWEEP_MS = 10_000;

interface Surroundings {
  readonly config: RabbitMqConfig;
  readonly store: QueueAdapter;
  readonly engine: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly report: ModuleContext['report'];
}

/** The queue of one server and one second store as one engine sees it. */
export class RabbitQueue {
  readonly work: QueueWork;
  readonly enqueuer: Enqueuer;
  readonly claimer: Claimer;
  readonly settler: Settler;
  readonly operator: QueueOperator;
  private readonly listeners = new Set<() => void>();
  private sweeping: NodeJS.Timeout | undefined;
  private readonly unlisten: readonly (Unsubscribe | undefined)[];

  private constructor({ config, store, clock, log }: Surroundings, private readonly server: RabbitServer) {
    const { exchange, arguments: args, publisher } = server;
    const foreign = new ForeignMessages(publisher, foreignQueue(exchange, args), log);
    this.work = new QueueWork(store, clock, {
      exchange, arguments: args, prefetch: config.prefetch, ask: (question) => server.ask(question), reach: () => server.reach(),
      keepForeign: (from, messages) => foreign.keep(from, messages),
    });
    this.enqueuer = new Enqueuer(this.work, publisher, (key) => server.tell(key));
    this.claimer = new Claimer(this.work);
    this.settler = new Settler(this.work);
    this.operator = new QueueOperator(this.work);
    server.listener = { up: () => this.resume(log), down: () => this.lost(), due: (key) => this.heard(key) };
    this.unlisten = [store.onDue((key) => this.storeDue(key)), store.onSubscriptions?.(() => void this.renew(log))];
  }

  /** @throws {SERVICE_UNAVAILABLE} */
  static async open(around: Surroundings): Promise<RabbitQueue> {
    const server = await RabbitServer.open(around);
    const queue = new RabbitQueue(around, server);
    try {
      await queue.work.reload();
      await queue.work.drainUncarried();
      queue.sweep(around.log);
      return queue;
    } catch (error) {
      await queue.close();
      throw error;
    }
  }

  async subscriptions(): Promise<readonly StoredSubscription[]> {
    return this.work.reload();
  }

  /** What becomes of deliveries with a subscription that is gone, or is to be in order, the second store knows: they go there. */
  async changeSubscriptions(changes: readonly SubscriptionChange[]): Promise<void> {
    const { work } = this;
    const before = work.list;
    await work.change(changes);
    work.counts.forget();
    const ordered = changes.flatMap((change) => (change.action === 'put' && change.subscription.fifo && before.get(change.subscription)?.fifo === false ? [change.subscription] : []));
    await Promise.all(ordered.map((key) => work.lane(key).drain()));
    await work.drainUncarried();
  }

  onSubscriptions(listener: () => void): Unsubscribe {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    clearInterval(this.sweeping);
    this.server.listener = undefined;
    for (const unlisten of this.unlisten) unlisten?.();
    this.listeners.clear();
    this.claimer.close();
    this.work.close();
    await this.server.close();
  }

  /** What comes back of a subscription that has ended may come late. */
  private sweep(log: Logger): void {
    this.sweeping = setInterval(() => {
      if (this.server.isUp && this.work.noted.length > 0) void this.renew(log);
    }, SWEEP_MS);
    this.sweeping.unref();
  }

  private storeDue(key: SubscriptionKey): void {
    this.work.noteInStore(key, true);
    this.work.wake(key);
  }

  /** An engine that listens to the queue is given what comes. */
  private heard(key: SubscriptionKey): void {
    const lane = this.work.lane(key);
    if (lane.listens) return;
    lane.told();
    this.work.wake(key);
  }

  private async renew(log: Logger): Promise<void> {
    try {
      await this.work.reload();
      for (const listener of this.listeners) listener();
      await this.work.drainUncarried();
    } catch (error) {
      log.warn('what lies on the server for a subscription that has changed could not be moved; the next claim tries again', { error: String(error) });
    }
  }

  private resume(log: Logger): void {
    for (const lane of this.work.openLanes()) {
      lane.resume().catch((error: unknown) => log.warn('a queue could not be listened to again; the next claim tries it', { queue: lane.name, error: String(error) }));
    }
    for (const one of this.work.list.all) this.work.wake(one);
  }

  private lost(): void {
    for (const lane of this.work.openLanes()) lane.lost();
  }
}
