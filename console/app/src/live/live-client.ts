import type { ClientMessage, LiveFrame, NamedTopic } from '../api/types.generated.js';
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
  /** The engine refused the subscription, or has ended it. */
  ended?(code: string, detail: string): void;
  /** After a reconnect: what came in between is not known, and everything kept in memory is gone when the engine is another one. */
  resumed?(newEngine: boolean): void;
}

interface Subscription {
  readonly topic: LiveTopic;
  readonly query: Readonly<Record<string, string>>;
  readonly sink: LiveSink;
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

  /** Connects, once there is a session, and tells the server whether anybody looks. */
  start(): void {
    if (this.socket) return;
    this.connect();
    document.addEventListener('visibilitychange', () => this.send({ type: 'visibility', hidden: document.hidden }));
  }

  get status(): LiveStatus {
    return this.current;
  }

  /** Since when the engine is gone, or was when it came back last; milliseconds since the epoch. */
  get goneSince(): number | undefined {
    return this.lostAt;
  }

  /** The engine was started anew since this page was opened: what it kept in memory begins there. */
  get isRestarted(): boolean {
    return this.restarted;
  }

  onStatus(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  subscribe(topic: LiveTopic, query: Readonly<Record<string, string>>, sink: LiveSink): () => void {
    this.next += 1;
    const id = String(this.next);
    this.subscriptions.set(id, { topic, query, sink });
    this.send({ type: 'subscribe', id, topic, query });
    return () => {
      this.subscriptions.delete(id);
      this.send({ type: 'unsubscribe', id });
    };
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
    const sink = this.subscriptions.get(frame.id)?.sink;
    if (frame.type === 'snapshot') return sink?.snapshot?.(frame.data);
    if (frame.type === 'delta') return sink?.events?.(frame.events);
    if (frame.type === 'end') return sink?.ended?.(frame.code, frame.detail);
    return sink?.gap?.(frame.dropped);
  }

  private greeted(bootId: string): void {
    const former = this.bootId;
    this.bootId = bootId;
    this.restarted ||= former !== undefined && former !== bootId;
    [this.wait, this.failures] = [FIRST_WAIT_MS, 0];
    if (document.hidden) this.send({ type: 'visibility', hidden: true });
    for (const [id, { topic, query, sink }] of this.subscriptions) {
      this.send({ type: 'subscribe', id, topic, query });
      if (former !== undefined) sink.resumed?.(former !== bootId);
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
