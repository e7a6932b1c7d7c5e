import {
  type ApplicationCatalog, type Catalog, type CatalogChange, type ChangeFeed, type ChangeSource, type Clock, type DrainContext, type Invoker, type Logger,
  OperationSpans, type Origin, type QueueAdapter, type QueueCapabilities, type QueueMessage, type QueuePort, rootOrigin, type Telemetry, type TriggerDelivery,
  type TriggerKindSpec, type Turn, type Unsubscribe, untilAborted,
} from '@treadle/api';
import { ChangeForwarder } from './changes/change-forwarder.js';
import { ChangeListeners } from './changes/change-listeners.js';
import { CommitWriter, type CommitWriterParts } from './delivery/commit-writer.js';
import { Consumers } from './delivery/consumers.js';
import type { DeliveryLog } from './delivery/delivery-log.js';
import { DeliveryPump } from './delivery/delivery-pump.js';
import { LeaseRenewal } from './delivery/lease-renewal.js';
import { Publisher } from './publishing/publisher.js';
import { QueueExpiry } from './dead-letters/queue-expiry.js';
import type { QueueObserver } from './telemetry/queue-observer.js';
import { QueueGauges } from './telemetry/queue-gauges.js';
import { QueueRates } from './telemetry/queue-rates.js';
import { QueueTelemetry } from './telemetry/queue-telemetry.js';
import { SettlementWriter } from './delivery/end-writer.js';
import { Subscriptions } from './subscriptions/subscriptions.js';
import { deliveryKeys, triggerTopic } from './subscriptions/trigger-topic.js';
import { queueError } from './queue-errors.js';
import { UnroutedTopics } from './publishing/unrouted-topics.js';

/** What a reload may change. */
export interface QueueLimits {
  /** Milliseconds. */
  readonly retireDelayMs: number;
  /** Most messages that wait in one subscription. */
  readonly maxWaiting: number;
}

/** What the service is made of. */
export interface QueueServiceOptions extends QueueLimits {
  readonly adapter: QueueAdapter;
  /** What the adapter can do as it is configured. Default: everything, for one engine. */
  readonly capabilities?: Partial<UsedCapabilities> | undefined;
  readonly catalog: Catalog;
  /** Kinds of triggers that the loaded modules declare. Default: none of plugins. */
  readonly kinds?: () => readonly TriggerKindSpec[];
  readonly invoker: Invoker;
  readonly clock: Clock;
  readonly turn: Turn;
  readonly log: Logger;
  /** Numbers from 0 to 1, for jitter. */
  readonly random?: () => number;
  readonly telemetry?: Telemetry | undefined;
  /** Told of deliveries that failed. */
  readonly failures?: DeliveryLog | undefined;
}

/** What the module asks of an adapter while it runs. */
type UsedCapabilities = Pick<QueueCapabilities, 'dedupe' | 'multiEngine' | 'maxMessageBytes' | 'takeOverMs'>;

const UNDECLARED: UsedCapabilities = { dedupe: true, multiEngine: false, maxMessageBytes: Number.MAX_SAFE_INTEGER, takeOverMs: 0 };

/** What becomes of messages; where they are kept is the adapter's. */
export class QueueService implements QueuePort {
  readonly subscriptions: Subscriptions;
  readonly publisher: Publisher;
  readonly pump: DeliveryPump;
  readonly settlements: SettlementWriter;
  private readonly commits: CommitWriter | undefined;
  readonly rates: QueueRates;
  private readonly consumers: Consumers;
  private readonly unrouted: UnroutedTopics;
  private readonly expiry: QueueExpiry;
  private readonly renewal: LeaseRenewal | undefined;
  private readonly gauges: QueueGauges | undefined;
  private readonly listeners: ChangeListeners;
  private readonly feeds = new Set<ChangeForwarder>();
  private readonly dedupe: boolean;
  private bound: Unsubscribe[] = [];

  constructor(private readonly options: QueueServiceOptions) {
    const { adapter, invoker, clock, turn, log, retireDelayMs, maxWaiting, random = Math.random, telemetry, failures } = options;
    const capabilities = { ...UNDECLARED, ...options.capabilities };
    const spans = telemetry && new OperationSpans(telemetry, clock);
    const rates = this.rates = new QueueRates(clock);
    const keyOf = deliveryKeys(options.kinds ?? (() => []));
    this.dedupe = capabilities.dedupe;
    this.subscriptions = new Subscriptions({ adapter, clock, log, retireDelayMs, keyOf });
    this.unrouted = new UnroutedTopics((topic) => this.subscriptions.hasTopic(topic), clock, log);
    this.publisher = new Publisher({ adapter, capabilities, turn, clock, maxWaiting, onTopic: this.unrouted.published, rates, telemetry, spans });
    this.settlements = new SettlementWriter({ adapter, turn, clock, log });
    const maxWaitingNow = (): number => this.publisher.maxWaiting;
    this.commits = commitWriter({ adapter, turn, clock, log, maxWaiting: maxWaitingNow });
    this.consumers = new Consumers(log, keyOf, this.commits !== undefined, () => clock.monotonic());
    const { consumers, settlements, commits } = this;
    const claimGoodMs = capabilities.takeOverMs > 0 ? capabilities.takeOverMs / 2 : Infinity;
    this.pump = new DeliveryPump({ adapter, invoker, consumers, settlements, commits, maxWaiting: maxWaitingNow, claimGoodMs, turn, clock, log, random, rates, telemetry, failures });
    this.listeners = new ChangeListeners(this.subscriptions);
    this.expiry = new QueueExpiry(adapter, clock, log);
    this.renewal = capabilities.multiEngine ? new LeaseRenewal(adapter, this.pump, log) : undefined;
    this.gauges = telemetry?.metrics ? new QueueGauges(adapter, telemetry, { clock, log }) : undefined;
    if (telemetry) this.observer = new QueueTelemetry(telemetry);
  }

  /** Telemetry attaches here. */
  set observer(observer: QueueObserver | undefined) {
    this.publisher.observer = this.unrouted.observer = this.pump.observer = this.settlements.observer = this.expiry.observer = observer;
  }

  /** Goes over to other limits; messages that are over them already stay. */
  reconfigure({ maxWaiting, retireDelayMs }: QueueLimits): void {
    this.publisher.maxWaiting = maxWaiting;
    this.subscriptions.retireAfter(retireDelayMs);
  }

  enqueue(messages: readonly QueueMessage[], origin?: Origin): Promise<readonly { readonly messageId: string }[]> {
    return this.publisher.enqueue(messages, origin);
  }

  async deliver(delivery: TriggerDelivery, origin?: Origin): Promise<{ readonly messageId: string }> {
    const { step, trigger } = delivery;
    const topic = triggerTopic(step, trigger);
    // The subscription of a Step that has just come is on its way.
    if (!this.subscriptions.get({ step, topic })) await this.subscriptions.next();
    if (!this.subscriptions.get({ step, topic })) {
      throw queueError('NoSuchTrigger', `Step "${step}" has no ${trigger.type} trigger with the key "${trigger.key}"; nothing was stored`);
    }
    const [stored] = await this.publisher.deliver(topic, delivery, origin);
    return stored as { readonly messageId: string };
  }

  /** Of messages that come from outside: a trace of their own. */
  newOrigin(): Origin {
    return rootOrigin(this.options.telemetry);
  }

  attachChanges(source: ChangeSource): ChangeFeed {
    const { clock, log } = this.options;
    const { publisher, listeners, dedupe } = this;
    const recordedLate = (kind: ChangeSource['kind']): void => [...this.feeds].find((other) => other.kind === kind && !other.isClosed)?.recorded();
    const feed = new ChangeForwarder(source, { publisher, listeners, dedupe, clock, log, recordedLate });
    this.feeds.add(feed);
    feed.recorded();
    return feed;
  }

  /** Takes messages from now on; delivers none yet. */
  async open(): Promise<void> {
    this.subscriptions.onChange(() => this.subscriptionsChanged());
    await this.subscriptions.load();
    this.listeners.refresh();
  }

  /** Delivers from now on. */
  start(): void {
    const { catalog, invoker, adapter, clock } = this.options;
    for (const step of catalog.steps()) this.consumers.put(step);
    this.bound = [
      catalog.onChange((change) => this.catalogChanged(change)),
      invoker.onServing((step, servers) => {
        if (servers > 0) for (const consumer of this.consumers.of(step)) this.pump.consider(consumer);
      }),
      adapter.onDue((key) => this.pump.due(key)),
    ];
    this.subscriptionsChanged();
    this.pump.start();
    this.expiry.start(clock);
    this.renewal?.start(clock);
    this.gauges?.start(clock);
  }

  /** The applications are these now. */
  follow(catalogs: readonly ApplicationCatalog[]): void {
    this.subscriptions.follow(catalogs);
  }

  /** Claims nothing more and waits for what runs; at the signal it is handed back. Messages are still taken. */
  async drain({ signal }: Pick<DrainContext, 'signal'>): Promise<void> {
    await this.pump.drain(signal);
    await untilAborted(this.written(), signal);
  }

  async stop(signal: AbortSignal): Promise<void> {
    for (const unbind of this.bound) unbind();
    this.bound = [];
    this.subscriptions.close();
    this.unrouted.close();
    const handedBack = this.pump.close();
    await Promise.all([...this.feeds].map((feed) => feed.close()));
    await Promise.all([this.expiry.stop(), this.renewal?.stop(), this.gauges?.stop(), this.subscriptions.settled()]);
    await untilAborted(handedBack.then(() => this.written()), signal);
    this.settlements.close();
    this.commits?.close();
  }

  /** Every end of a delivery is. */
  private async written(): Promise<void> {
    // What is not committed is handed back.
    await this.commits?.settled();
    await this.settlements.settled();
  }

  private catalogChanged({ added, changed, removed }: CatalogChange): void {
    const gone = [...removed.flatMap(({ id }) => this.consumers.delete(id)), ...[...added, ...changed].flatMap((step) => this.consumers.put(step))];
    for (const consumer of gone) this.pump.consider(consumer);
    this.subscriptionsChanged();
  }

  private subscriptionsChanged(): void {
    this.listeners.refresh();
    this.unrouted.refresh();
    for (const consumer of this.consumers.all()) {
      consumer.paused = this.subscriptions.get(consumer)?.paused ?? false;
      // A subscription that has just been stored may have taken over what lay unrouted.
      consumer.due = true;
      this.pump.consider(consumer);
    }
  }
}

/** Only for an adapter that has commits. */
function commitWriter({ adapter, ...rest }: Omit<CommitWriterParts, 'adapter'> & { readonly adapter: QueueAdapter }): CommitWriter | undefined {
  const { commitMany } = adapter;
  return commitMany && new CommitWriter({ ...rest, adapter: { commitMany: commitMany.bind(adapter) } });
}
