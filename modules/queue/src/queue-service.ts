import {
  type ApplicationCatalog, type CatalogChange, type ChangeFeed, type ChangeSource, type Clock, type DrainContext, type Logger, OperationSpans,
  type Origin, type QueueAdapter, type QueueMessage, type QueuePort, type StepHub, type Telemetry, type Unsubscribe,
  untilAborted,
} from '@treadle/api';
import { capabilitiesOf } from './adapter-capabilities.js';
import { ChangeForwarder } from './change-forwarder.js';
import { ChangeListeners } from './change-listeners.js';
import { Consumers } from './consumers.js';
import type { DeliveryLog } from './delivery-log.js';
import { Dispatcher } from './dispatcher.js';
import { LeaseRenewal } from './lease-renewal.js';
import { Publisher } from './publisher.js';
import { QueueExpiry } from './queue-expiry.js';
import type { QueueObserver } from './queue-observer.js';
import { QueueGauges } from './queue-gauges.js';
import { QueueTelemetry } from './queue-telemetry.js';
import { Settler } from './settler.js';
import { Subscriptions } from './subscriptions.js';
import { Turn } from './turn.js';
import { UnroutedTopics } from './unrouted-topics.js';

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
  readonly hub: StepHub;
  readonly clock: Clock;
  readonly log: Logger;
  /** Numbers from 0 to 1, for jitter. */
  readonly random?: () => number;
  readonly telemetry?: Telemetry | undefined;
  /** Told of deliveries that failed. */
  readonly failures?: DeliveryLog | undefined;
}

/** What becomes of messages; where they are kept is the adapter's. */
export class QueueService implements QueuePort {
  readonly subscriptions: Subscriptions;
  readonly publisher: Publisher;
  readonly dispatcher: Dispatcher;
  readonly settler: Settler;
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
    const { adapter, hub, clock, log, retireDelayMs, maxWaiting, random = Math.random, telemetry, failures } = options;
    const capabilities = capabilitiesOf(adapter);
    const turn = new Turn();
    const spans = telemetry && new OperationSpans(telemetry, clock);
    this.dedupe = capabilities.dedupe;
    this.subscriptions = new Subscriptions({ adapter, clock, log, retireDelayMs });
    this.unrouted = new UnroutedTopics((topic) => this.subscriptions.hasTopic(topic), clock, log);
    this.publisher = new Publisher({ adapter, capabilities, turn, clock, maxWaiting, onTopic: this.unrouted.published, telemetry, spans });
    this.settler = new Settler({ adapter, turn, clock, log });
    this.consumers = new Consumers(log);
    const { consumers, settler } = this;
    this.dispatcher = new Dispatcher({ adapter, hub, consumers, settler, turn, clock, log, random, telemetry, failures });
    this.listeners = new ChangeListeners(this.subscriptions);
    this.expiry = new QueueExpiry(adapter, clock, log);
    this.renewal = capabilities.multiEngine ? new LeaseRenewal(adapter, this.dispatcher, log) : undefined;
    // What a fifo group settles in a turn lets its next delivery be claimed in the same turn.
    for (const part of [this.publisher, this.settler, this.dispatcher]) turn.add(part);
    this.gauges = telemetry?.metrics ? new QueueGauges(adapter, telemetry, { clock, log }) : undefined;
    if (telemetry) this.observer = new QueueTelemetry(telemetry);
  }

  /** Telemetry attaches here. */
  set observer(observer: QueueObserver | undefined) {
    this.publisher.observer = this.unrouted.observer = this.dispatcher.observer = this.settler.observer = this.expiry.observer = observer;
  }

  /** Goes over to other limits; messages that are over them already stay. */
  reconfigure({ maxWaiting, retireDelayMs }: QueueLimits): void {
    this.publisher.maxWaiting = maxWaiting;
    this.subscriptions.retireAfter(retireDelayMs);
  }

  enqueue(messages: readonly QueueMessage[], origin?: Origin): Promise<readonly { readonly messageId: string }[]> {
    return this.publisher.enqueue(messages, origin);
  }

  attachChanges(source: ChangeSource): ChangeFeed {
    const { clock, log } = this.options;
    const { publisher, listeners, dedupe } = this;
    const feed = new ChangeForwarder(source, { publisher, listeners, dedupe, clock, log });
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
    const { hub, adapter, clock } = this.options;
    for (const step of hub.steps()) this.consumers.put(step);
    this.bound = [
      hub.onChange((change) => this.catalogChanged(change)),
      hub.onServing((step, servers) => {
        if (servers > 0) for (const consumer of this.consumers.of(step)) this.dispatcher.consider(consumer);
      }),
      adapter.onDue((key) => this.dispatcher.due(key)),
    ];
    this.subscriptionsChanged();
    this.dispatcher.start();
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
    await this.dispatcher.drain(signal);
    await untilAborted(this.settler.settled(), signal);
  }

  async stop(signal: AbortSignal): Promise<void> {
    for (const unbind of this.bound) unbind();
    this.bound = [];
    this.subscriptions.close();
    this.unrouted.close();
    this.dispatcher.close();
    await Promise.all([...this.feeds].map((feed) => feed.close()));
    await Promise.all([this.expiry.stop(), this.renewal?.stop(), this.gauges?.stop(), this.subscriptions.settled()]);
    await untilAborted(this.settler.settled(), signal);
    this.settler.close();
  }

  private catalogChanged({ added, changed, removed }: CatalogChange): void {
    for (const { id } of removed) this.consumers.delete(id);
    for (const step of [...added, ...changed]) this.consumers.put(step);
    this.subscriptionsChanged();
  }

  private subscriptionsChanged(): void {
    this.listeners.refresh();
    this.unrouted.refresh();
    for (const consumer of this.consumers.all()) {
      consumer.paused = this.subscriptions.get(consumer)?.paused ?? false;
      // A subscription that has just been stored may have taken over what lay unrouted.
      consumer.due = true;
      this.dispatcher.consider(consumer);
    }
  }
}
