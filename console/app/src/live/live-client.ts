import type { ClientMessage, LiveFrame, NamedTopic, TextSpan } from '../api/types.generated.js';
import { readJson } from '../api/json.js';
import { BASE } from '../url/location.js';

/** One of the engine, or the path of a module's event route below `/api/v1`. */
export type LiveTopic = NamedTopic | `/${string}`;

/** `gone`: it was there and is not any more. */
export type LiveStatus = 'connecting' | 'live' | 'gone' | 'refused';

/** What a subscription is told. */
export interface LiveSink {
  snapshot?(data: unknown): void;
  events?(events: readonly unknown[]): void;
  gap?(dropped: number): void;
  /** `since` of the topic's query, whenever it is subscribed to: nothing that happened after what is known is left out. */
  since?(): string;
  /** The engine refused the subscription, or has ended it. Who does not take this leaves it to the page to say so. */
  ended?(code: string, detail: string, at?: TextSpan): void;
  /** After a reconnect: what came in between is not known, and everything kept in memory is gone when the engine is another one. */
  resumed?(newEngine: boolean): void;
}

/** Why what a topic tells is not up to date. */
export interface LiveFault {
  readonly topic: LiveTopic;
  /** `stale`: the engine cannot read it and says so as soon as it can; `ended`: it was refused or has ended. */
  readonly kind: 'stale' | 'ended';
  readonly detail: string;
}

interface Subscription {
  readonly topic: LiveTopic;
  readonly query: Readonly<Record<string, string>>;
  readonly sink: LiveSink;
  fault?: LiveFault | undefined;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;
/** Refused upgrades in a row after which the page believes that it may not. */
const REFUSALS = 3;

/** The one WebSocket of the page: reconnects by itself and subscribes again. */
export class LiveClient {
  private readonly subscriptions = new Map<string, Subscription>();
  private readonly listeners = new Set<() => void>();
  private socket: WebSocket | undefined;
  private current: LiveStatus = 'connecting';
  private lostAt: number | undefined;
  private restarted = false;
  private bootId: string | undefined;
  private wait = FIRST_WAIT_MS;
  private failures = 0;
  private next = 0;
  private told: readonly LiveFault[] = [];

  /** Connects, once there is a session, and tells the server whether anybody looks. */
  start(): void {
    if (this.socket) return;
    this.connect();
    document.addEventListener('visibilitychange', () => this.send({ type: 'visibility', hidden: document.hidden }));
  }

  get status(): LiveStatus {
    return this.current;
  }

  /** Names the run of the engine that is or was connected last. */
  get engine(): string | undefined {
    return this.bootId;
  }

  /** Since when the engine is gone, or was when it came back last; milliseconds since the epoch. */
  get goneSince(): number | undefined {
    return this.lostAt;
  }

  /** The engine was started anew since this page was opened: what it kept in memory begins there. */
  get isRestarted(): boolean {
    return this.restarted;
  }

  /** What is not up to date although the engine is there, each once. */
  get faults(): readonly LiveFault[] {
    return this.told;
  }

  /** Subscribes again to what was refused or has ended. */
  again(): void {
    for (const [id, subscription] of this.subscriptions) if (subscription.fault?.kind === 'ended') this.open(id, subscription);
  }

  onStatus(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  subscribe(topic: LiveTopic, query: Readonly<Record<string, string>>, sink: LiveSink): () => void {
    this.next += 1;
    const id = String(this.next);
    const subscription: Subscription = { topic, query, sink };
    this.subscriptions.set(id, subscription);
    this.open(id, subscription);
    return () => {
      this.subscriptions.delete(id);
      this.fail(subscription, undefined);
      this.send({ type: 'unsubscribe', id });
    };
  }

  private open(id: string, subscription: Subscription): void {
    this.fail(subscription, undefined);
    this.send({ type: 'subscribe', id, topic: subscription.topic, query: { ...subscription.query, ...subscription.sink.since && { since: subscription.sink.since() } } });
  }

  private connect(): void {
    const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${BASE}/api/v1/live`);
    this.socket = socket;
    socket.onmessage = ({ data }) => (readJson(String(data)) as readonly LiveFrame[]).forEach((frame) => this.take(frame));
    socket.onclose = () => this.lost();
  }

  private lost(): void {
    this.failures += 1;
    this.become(this.bootId === undefined && this.failures >= REFUSALS ? 'refused' : this.bootId === undefined ? 'connecting' : 'gone');
    setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(LONGEST_WAIT_MS, this.wait * 2);
  }

  private take(frame: LiveFrame): void {
    if (frame.type === 'hello') return this.greeted(frame.bootId);
    if (frame.type === 'error') return undefined;
    const subscription = this.subscriptions.get(frame.id);
    if (!subscription) return undefined;
    const { sink, topic } = subscription;
    if (frame.type === 'stale') return this.fail(subscription, { topic, kind: 'stale', detail: frame.detail });
    if (frame.type === 'end') return sink.ended ? sink.ended(frame.code, frame.detail, frame.at) : this.fail(subscription, { topic, kind: 'ended', detail: frame.detail });
    if (frame.type === 'delta') return sink.events?.(frame.events);
    if (frame.type === 'gap') return sink.gap?.(frame.dropped);
    this.fail(subscription, undefined);
    return sink.snapshot?.(frame.data);
  }

  private fail(subscription: Subscription, fault: LiveFault | undefined): void {
    if (subscription.fault === fault) return;
    subscription.fault = fault;
    const faults = [...this.subscriptions.values()].flatMap((one) => one.fault ?? []);
    this.told = [...new Map(faults.map((one) => [Object.values(one).join(' '), one])).values()];
    this.listeners.forEach((listener) => listener());
  }

  private greeted(bootId: string): void {
    const former = this.bootId;
    this.bootId = bootId;
    this.restarted ||= former !== undefined && former !== bootId;
    [this.wait, this.failures] = [FIRST_WAIT_MS, 0];
    if (document.hidden) this.send({ type: 'visibility', hidden: true });
    for (const [id, subscription] of this.subscriptions) {
      this.open(id, subscription);
      if (former !== undefined) subscription.sink.resumed?.(former !== bootId);
    }
    this.become('live');
  }

  private send(message: ClientMessage): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private become(status: LiveStatus): void {
    if (status === this.current) return;
    if (status === 'gone') this.lostAt = Date.now();
    this.current = status;
    this.listeners.forEach((listener) => listener());
  }
}

export const live = new LiveClient();
