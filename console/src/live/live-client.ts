import type { Timer } from '@treadle/api';
import { wallTime } from '@treadle/api';
import type { WebSocket } from 'ws';
import type { Caller } from '../access/caller.js';
import { INTERNAL, refusalOf } from '../api/problem.js';
import type { Surroundings } from '../api/surroundings.js';
import type { ClientMessage, LiveFrame, TextSpan } from '../contract/index.js';
import { MAX_WAITING_BYTES } from '../server/event-backlog.js';
import { clientMessage } from './client-message.js';
import { LiveMessage } from './live-message.js';
import type { LiveTopics } from './live-topics.js';
import type { Pace } from './pace.js';
import { HIDDEN_MS } from './sampler.js';
import { Subscription } from './subscription.js';

/** Least time between two messages; ten a second. */
const VISIBLE_MS = 100;
const MAX_SUBSCRIPTIONS = 64;
/** With so many bytes on their way nothing is added; it waits where it is bounded. */
const CONGESTED_BYTES = 256 * 1024;
/** Close code of WebSocket for what is not allowed any more. */
const SIGNED_OUT = 1008;
/** Bytes of answers to messages of a client; with more it says more than it reads. */
const MAX_ANSWER_BYTES = 1024 * 1024;

export interface LiveClientOptions {
  readonly socket: WebSocket;
  readonly topics: LiveTopics;
  /** When it is its turn to be sent what is new. */
  readonly pace: Pick<Pace, 'now' | 'inTurn'>;
  readonly caller: Caller;
  readonly surroundings: Pick<Surroundings, 'clock' | 'boot' | 'log'>;
}

/** One open page: its subscriptions, gathered into few messages. */
export class LiveClient {
  private readonly subscriptions = new Map<string, Subscription>();
  /** Answers to what it said, as JSON texts. */
  private readonly frames: string[] = [];
  private frameBytes = 0;
  private timer: Timer | undefined;
  private sentAt = -Infinity;
  /** The page has asked for something and waits. */
  private isAwaited = true;
  private hidden = false;
  private closed = false;

  constructor(private readonly options: LiveClientOptions) {
    const { socket, surroundings: { boot, clock } } = options;
    socket.on('message', (data: Buffer, isBinary: boolean) => this.take(isBinary ? '' : data.toString('utf8')));
    socket.on('close', () => this.close());
    socket.on('error', () => socket.terminate());
    this.push({ type: 'hello', bootId: boot.id, time: wallTime(clock) });
  }

  /** Who it is for. */
  get caller(): Caller {
    return this.options.caller;
  }

  /** Nothing more is sent; the page may ask for another session. */
  signOut(): void {
    this.close();
    this.options.socket.close(SIGNED_OUT, 'the session has ended');
  }

  private take(text: string): void {
    if (this.closed) return;
    const message = clientMessage(text);
    if (typeof message === 'string') this.push({ type: 'error', code: 'invalid_message', detail: message });
    else if (message.type === 'visibility') this.show(message.hidden);
    else if (message.type === 'unsubscribe') this.end(message.id);
    else void this.subscribe(message);
  }

  private async subscribe({ id, topic, query = {} }: Extract<ClientMessage, { type: 'subscribe' }>): Promise<void> {
    const { topics, caller, surroundings: { clock, log } } = this.options;
    this.end(id);
    this.isAwaited = true;
    if (this.subscriptions.size >= MAX_SUBSCRIPTIONS) {
      this.push({ type: 'end', id, code: 'too_many', detail: `a client has at most ${MAX_SUBSCRIPTIONS} subscriptions` });
      return;
    }
    const subscription = new Subscription(id, clock);
    this.subscriptions.set(id, subscription);
    const fed = <T>(feed: (value: T) => void) => (value: T): void => {
      if (this.subscriptions.get(id) === subscription) this.feed(() => feed(value));
    };
    try {
      const sink = {
        replace: fed((text: string) => subscription.replace(text)), add: fed((event) => subscription.add(event)), isHidden: () => this.hidden,
        stale: fed((error) => subscription.stale(reasonOf(error, 'it cannot be read'))),
      };
      const leave = await topics.open({ topic, query, caller }, sink);
      subscription.leave = leave;
      if (this.closed || this.subscriptions.get(id) !== subscription) leave();
    } catch (error) {
      if (this.subscriptions.get(id) === subscription) this.subscriptions.delete(id);
      if (!refusalOf(error)) log.error('a live topic failed', { topic, error: String(error) });
      this.push({ type: 'end', id, ...reasonOf(error, 'the topic failed') });
    }
  }

  private end(id: string): void {
    this.subscriptions.get(id)?.leave();
    this.subscriptions.delete(id);
  }

  private show(hidden: boolean): void {
    this.hidden = hidden;
    this.isAwaited ||= !hidden;
    this.timer?.cancel();
    this.timer = undefined;
    this.wake();
  }

  private push(frame: LiveFrame): void {
    const text = JSON.stringify(frame);
    this.frames.push(text);
    this.frameBytes += Buffer.byteLength(text);
    if (this.frameBytes > MAX_ANSWER_BYTES) this.cutOff();
    else this.wake();
  }

  /** Something waits from now on; of what is too much for the page the oldest of the longest subscription gives way. */
  private feed(add: () => void): void {
    if (this.closed) return;
    try {
      add();
    } catch (error) {
      this.options.surroundings.log.error('what a page follows could not be written as JSON; the page is cut off', { error: String(error) });
      return this.cutOff();
    }
    const all = [...this.subscriptions.values()];
    const excess = all.reduce((sum, { bytes }) => sum + bytes, -MAX_WAITING_BYTES);
    if (excess > 0) {
      const longest = all.reduce((one, other) => (other.bytes > one.bytes ? other : one));
      longest.keepBytes(longest.bytes - excess);
    }
    this.wake();
  }

  /** Sends as soon as it may. */
  private wake(): void {
    if (this.timer || this.closed) return;
    const { pace, surroundings: { clock } } = this.options;
    const wait = this.sentAt + (this.hidden ? HIDDEN_MS : VISIBLE_MS) - clock.monotonic();
    this.timer = clock.after(Math.max(0, wait), () => {
      if (this.isAwaited) void pace.now(() => this.flush());
      else pace.inTurn(() => this.flush());
    });
  }

  /** Never fails: others wait for their turn behind it. */
  private flush(): void {
    if (this.closed) return;
    const { socket, surroundings: { clock, log } } = this.options;
    this.timer = undefined;
    this.isAwaited = false;
    this.sentAt = clock.monotonic();
    if (socket.bufferedAmount > CONGESTED_BYTES) return this.wake();
    try {
      const message = new LiveMessage();
      const isAll = this.fill(message);
      if (!message.isEmpty) socket.send(message.text());
      if (!isAll) this.wake();
    } catch (error) {
      log.error('what a page follows could not be sent; the page is cut off', { error: String(error) });
      this.cutOff();
    }
  }

  /** False: more waits than the message takes. */
  private fill(message: LiveMessage): boolean {
    const { frames } = this;
    while (frames[0] !== undefined && message.add(frames[0])) this.frameBytes -= Buffer.byteLength(frames.shift() ?? '');
    if (frames.length > 0) return false;
    const ids = [...this.subscriptions.keys()];
    for (const [at, id] of ids.entries()) {
      const { room } = message;
      if (this.subscriptions.get(id)?.fill(message) !== false) continue;
      this.moveBack(ids.slice(0, message.room < room ? at + 1 : at));
      return false;
    }
    return true;
  }

  /** Those that had their turn come after those that had none. */
  private moveBack(ids: readonly string[]): void {
    for (const id of ids) {
      const subscription = this.subscriptions.get(id);
      this.subscriptions.delete(id);
      if (subscription) this.subscriptions.set(id, subscription);
    }
  }

  private cutOff(): void {
    this.close();
    this.options.socket.terminate();
  }

  private close(): void {
    this.closed = true;
    this.timer?.cancel();
    for (const id of [...this.subscriptions.keys()]) this.end(id);
  }
}

/** What a page is told of an error, and what of its query is wrong; of a fault that tells it nothing, `what` happened. */
function reasonOf(error: unknown, what: string): { readonly code: string; readonly detail: string; readonly at?: TextSpan } {
  const { code, message, at } = refusalOf(error) ?? { code: INTERNAL.code, message: `${what}; the engine's log says more`, at: undefined };
  return { code, detail: message, ...at && { at } };
}
