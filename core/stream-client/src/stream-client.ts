import { ReconnectDelay, type ReconnectOptions } from './reconnect-delay.js';
import { socketAddress } from './socket-address.js';
import { StreamSubscription, type SubscriptionLink } from './subscription.js';
import { globalWebSocket, type WebSocketConstructor, type WebSocketLike } from './web-socket.js';
import { parseMessage, type StreamTarget } from './wire.js';

/** Where the server is and how to come back to it. */
export interface StreamClientOptions extends ReconnectOptions {
  /**
   * e.g. `ws://127.0.0.1:3112`; `http` stands for `ws`, `https` for `wss`. A function is asked before each connection, e.g. for a fresh
   * ticket in the query; when it throws it is asked again after a pause.
   */
  readonly url: string | (() => string | Promise<string>);
  /** Default: the runtime's own. */
  readonly WebSocket?: WebSocketConstructor | undefined;
}

/** How the connection is. */
export type ConnectionStatus = 'idle' | 'connecting' | 'open' | 'waiting' | 'closed';

/** A connection is trusted after this time: the next pause is then short again; milliseconds. */
const STABLE_MS = 5_000;

/**
 * A connection to the streams of an engine, shared by any number of subscriptions. It connects with the first one, connects
 * again when the connection breaks, and each subscription then goes on where it was.
 */
export class StreamClient {
  private readonly subscriptions = new Map<string, StreamSubscription>();
  private readonly delay: ReconnectDelay;
  private WebSocket: WebSocketConstructor | undefined;
  private socket: WebSocketLike | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly retries = new Set<ReturnType<typeof setTimeout>>();
  private connection: ConnectionStatus = 'idle';
  private count = 0;
  private readonly link: SubscriptionLink = {
    send: (message) => this.send(message),
    retry: (subscription) => this.retry(subscription),
    closed: ({ subscriptionId }) => void this.subscriptions.delete(subscriptionId),
  };

  /** @throws TypeError when `url` is no address */
  constructor(private readonly options: StreamClientOptions) {
    if (typeof options.url !== 'function') socketAddress(options.url);
    this.WebSocket = options.WebSocket;
    this.delay = new ReconnectDelay(options);
  }

  get status(): ConnectionStatus {
    return this.connection;
  }

  /**
   * Follows a group, or one item of it, until the subscription or the client is closed.
   * @throws Error after `close`, and in a runtime without WebSocket
   */
  subscribe<T = unknown>({ streamName, groupId, id }: StreamTarget): StreamSubscription<T> {
    if (this.connection === 'closed') throw new Error('the client is closed');
    this.WebSocket ??= globalWebSocket();
    this.count += 1;
    const target = { streamName, groupId, ...(id === undefined ? {} : { id }) };
    const subscription = new StreamSubscription<T>(target, `s${this.count}`, this.link);
    this.subscriptions.set(subscription.subscriptionId, subscription as StreamSubscription);
    if (this.connection === 'open') subscription.join();
    if (this.connection === 'idle') this.connect();
    return subscription;
  }

  /** Ends the connection and all subscriptions. Idempotent. */
  close(): void {
    if (this.connection === 'closed') return;
    for (const subscription of [...this.subscriptions.values()]) subscription.close();
    this.connection = 'closed';
    clearTimeout(this.timer);
    this.forgetRetries();
    this.socket?.close(1000);
    this.socket = undefined;
  }

  private connect(): void {
    this.connection = 'connecting';
    this.open().catch(() => this.lost(undefined));
  }

  private async open(): Promise<void> {
    const { url } = this.options;
    const address = typeof url === 'function' ? await url() : url;
    if (this.connection !== 'connecting') return;
    try {
      this.listen(this.socket = new (this.WebSocket as WebSocketConstructor)(socketAddress(address)));
    } catch (error) {
      this.unusable((error as Error).message);
    }
  }

  private listen(socket: WebSocketLike): void {
    socket.onopen = () => this.opened(socket);
    socket.onmessage = ({ data }: { readonly data: unknown }) => this.take(socket, data);
    socket.onclose = () => this.lost(socket);
    // `close` follows; without a listener some libraries end the process.
    socket.onerror = () => undefined;
  }

  /** The address is none, or the runtime refuses it: trying again would end the same way. The next subscription tries it once more. */
  private unusable(message: string): void {
    this.connection = 'idle';
    for (const subscription of this.subscriptions.values()) subscription.refused({ type: 'error', code: 'bad_url', message });
  }

  private opened(socket: WebSocketLike): void {
    if (socket !== this.socket) return;
    this.connection = 'open';
    this.timer = setTimeout(() => this.delay.reset(), STABLE_MS);
    for (const subscription of this.subscriptions.values()) subscription.join();
  }

  private take(socket: WebSocketLike, data: unknown): void {
    if (socket !== this.socket) return;
    const message = parseMessage(data);
    if (message?.subscriptionId === undefined) return;
    const subscription = this.subscriptions.get(message.subscriptionId);
    if (message.type === 'stream') subscription?.take(message);
    else subscription?.refused(message);
  }

  private lost(socket: WebSocketLike | undefined): void {
    if (socket !== this.socket || this.connection === 'closed') return;
    this.socket = undefined;
    this.connection = 'waiting';
    clearTimeout(this.timer);
    this.forgetRetries();
    this.timer = setTimeout(() => this.connect(), this.delay.next());
    for (const subscription of this.subscriptions.values()) subscription.disconnected();
  }

  private retry(subscription: StreamSubscription): void {
    const timer = setTimeout(() => {
      this.retries.delete(timer);
      const isWanted = this.subscriptions.get(subscription.subscriptionId) === subscription;
      if (isWanted && this.connection === 'open' && subscription.status === 'connecting') subscription.join();
    }, new ReconnectDelay(this.options).next());
    this.retries.add(timer);
  }

  /** Each subscription asks with the next connection anyway; twice would be refused. */
  private forgetRetries(): void {
    for (const retry of this.retries) clearTimeout(retry);
    this.retries.clear();
  }

  private send(message: object): void {
    if (this.connection === 'open') this.socket?.send(JSON.stringify(message));
  }
}
