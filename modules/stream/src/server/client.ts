import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { type Clock, isLoopback, type Logger, type PeerComplaints, unsentBytes, wallTime } from '@treadle/api';
import type { WebSocket } from 'ws';
import type { Access, Hooks } from '../access/hooks.js';
import type { Patience } from '../access/patience.js';
import { Lane } from '../access/lane.js';
import type { Rooms } from '../rooms/rooms.js';
import { errorFrame, unauthorizedFrame } from '../rooms/stream-message.js';
import type { StreamConfig } from '../stream.config.js';
import type { Beginnings } from './beginnings.js';
import { type JoinData, readMessage } from './client-message.js';
import { CLOSE } from './close-codes.js';
import type { FlushTurn } from './flush-turn.js';
import { MessageRate } from './message-rate.js';
import { Outbox } from './outbox.js';
import { Subscription } from './subscription.js';

/** Tells clients of this process from those of a former one: who asks for an id means that client alone. */
const PROCESS = randomBytes(4).toString('hex');

/** What all clients share. */
export interface ClientSurroundings {
  readonly config: StreamConfig;
  readonly clock: Clock;
  readonly log: Logger;
  readonly rooms: Rooms;
  readonly hooks: Hooks;
  readonly patience: Patience;
  readonly turn: FlushTurn;
  readonly beginnings: Beginnings;
  readonly complaints: PeerComplaints;
  gone(client: Client): void;
}

/** A client as operators see it. */
export interface ShownClient {
  readonly id: string;
  readonly address: string;
  /** ISO 8601. */
  readonly since: string;
  readonly authenticated: boolean;
  readonly waitingBytes: number;
  readonly subscriptions: readonly { readonly stream: string; readonly group: string; readonly id?: string | undefined }[];
}

/** How long a client that was told to go may take before it is cut off; milliseconds. */
const LEAVE_MS = 1_000;
/** How often it is looked whether a client reads what its subscription begins with; milliseconds. */
const READING_MS = 10_000;
const MAX_MISSED = 2;
/** How long it is waited before a group is read again for those who follow it, at first and at most; milliseconds. */
const FIRST_PAUSE_MS = 500;
const MOST_PAUSE_MS = 8_000;
const PING = Buffer.from([0x89, 0]);

/** One connection of a client. Whatever arrives on it, the worst that happens is that it is closed. */
export class Client {
  private readonly subscriptions = new Map<string, Subscription>();
  private readonly outbox: Outbox;
  private readonly rate: MessageRate;
  private readonly since: number;
  /** Beginnings of subscriptions go out one after the other. */
  private readonly beginnings = new Lane(1);
  /** Which of the server's rounds asks it for a sign of life. */
  pingPart = 0;
  private missed = 0;
  private closing = false;

  // eslint-disable-next-line max-params -- an object more for each of 10,000 clients otherwise
  constructor(
    private readonly socket: WebSocket, private readonly raw: Duplex, private readonly auth: unknown, private readonly shared: ClientSurroundings,
    /** Whether somebody said who this is. */
    readonly authenticated: boolean,
    private readonly number: number,
  ) {
    const { config, clock, turn } = shared;
    this.outbox = new Outbox(raw as Socket, turn, config, () => this.tooSlow());
    this.rate = new MessageRate(clock, config);
    this.since = wallTime(clock);
    socket.on('message', (data: Buffer, isBinary: boolean) => this.take(data, isBinary));
    socket.on('pong', () => void (this.missed = 0));
    // A broken connection or frame; `close` follows.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code?.startsWith('WS_ERR_') === true) this.complain(error.message);
    });
    socket.on('close', () => this.over());
  }

  get id(): string {
    return `${PROCESS}-${this.number}`;
  }

  get shown(): ShownClient {
    const { id, raw, since, authenticated, subscriptions } = this;
    return {
      id, address: (raw as Socket).remoteAddress ?? '', since: new Date(since).toISOString(), authenticated, waitingBytes: unsentBytes(raw as Socket),
      subscriptions: [...subscriptions.values()].map(({ group: { stream, groupId: group }, id }) => ({ stream, group, ...id !== undefined && { id } })),
    };
  }

  /** Asks for a sign of life; a client that owes two is cut off. */
  ping(): void {
    if (this.closing) return;
    if (this.missed >= MAX_MISSED) {
      this.socket.terminate();
      return;
    }
    this.missed += 1;
    if (this.raw.writable) this.raw.write(PING);
  }

  /** Says goodbye; a client that does not leave is cut off after a second. */
  close(code: number, reason: string): void {
    if (this.closing) return;
    this.closing = true;
    this.outbox.flush();
    this.outbox.close();
    this.socket.close(code, reason);
    this.shared.clock.after(LEAVE_MS, () => this.socket.terminate());
  }

  /** Ends the connection without a word. */
  cutOff(): void {
    this.closing = true;
    this.socket.terminate();
  }

  /** The last message before the end, and why it comes to that. */
  sayFarewell(why: string): void {
    this.outbox.add(errorFrame('draining', `${why}; connect again`));
    this.close(CLOSE.restart, why);
  }

  private tooSlow(): void {
    this.shared.log.info('a client that does not read fast enough is closed', { code: CLOSE.slowReader, waitingBytes: this.raw.writableLength });
    this.close(CLOSE.slowReader, 'the messages are not read fast enough');
  }

  private take(data: Buffer, isBinary: boolean): void {
    if (this.closing) return;
    this.missed = 0;
    if (!this.rate.take()) {
      this.close(CLOSE.policy, `more than ${this.shared.config.max_messages_per_second} messages a second`);
      return;
    }
    if (isBinary) {
      this.complain('messages are text');
      this.close(CLOSE.unsupported, 'messages are text');
      return;
    }
    const message = readMessage(data.toString());
    if (message.type === 'fault') {
      this.complain(message.message);
      this.fault('bad_message', message.message, message.subscriptionId);
    } else if (message.type === 'leave') this.leave(message.subscriptionId);
    else this.join(message.data);
  }

  private complain(fault: string): void {
    this.shared.complaints.about((this.raw as Socket).remoteAddress ?? '', fault);
  }

  private join(data: JoinData): void {
    const { subscriptionId, streamName: stream, groupId, id } = data;
    const { max_subscriptions: most } = this.shared.config;
    if (this.subscriptions.has(subscriptionId)) {
      this.fault('subscription_exists', 'this connection has a subscription with this id; leave it first', subscriptionId);
    } else if (this.subscriptions.size >= most) {
      this.fault('too_many_subscriptions', `a connection may have ${most} subscriptions`, subscriptionId);
    } else {
      const subscription = new Subscription({ stream, groupId }, subscriptionId, id, this.outbox, this.shared.beginnings);
      this.subscriptions.set(subscriptionId, subscription);
      subscription.onStartOver = () => this.startOver(subscription, FIRST_PAUSE_MS);
      this.begin(subscription, data).catch((error: unknown) => this.failed(subscription, error));
    }
  }

  private async begin(subscription: Subscription, { from }: JoinData): Promise<void> {
    const { hooks, patience } = this.shared;
    const decide = (): Promise<Access> => hooks.canAccess(subscription.forHooks, this.auth);
    const access = await patience.ask(decide, (answer) => answer !== 'unavailable', () => subscription.over);
    if (subscription.over) return;
    if (!this.admits(access)) {
      this.refuse(subscription, access);
      return;
    }
    await this.enter(subscription, from);
    if (!subscription.over) subscription.joined = hooks.notify('onJoin', subscription.forHooks, this.auth);
  }

  /** Clients of the family never ask again for what they have, so a join that none of them asked for is tried until it succeeds. */
  private startOver(subscription: Subscription, pause: number): void {
    const { log, clock } = this.shared;
    this.enter(subscription, undefined).catch((error: unknown) => {
      if (subscription.over || this.closing) return;
      if (pause === FIRST_PAUSE_MS) log.warn('a client has to follow a stream anew and cannot yet; it is tried again', { ...subscription.group, reason: reasonOf(error) });
      subscription.again = clock.after(pause, () => this.startOver(subscription, Math.min(2 * pause, MOST_PAUSE_MS)));
    });
  }

  private enter(subscription: Subscription, from: JoinData['from']): Promise<void> {
    return this.beginnings.run(async () => {
      await this.outbox.catchingUp;
      await this.catchUp(subscription, from);
    });
  }

  private async catchUp(subscription: Subscription, from: JoinData['from']): Promise<void> {
    const leave = (): void => subscription.leaveRoom();
    try {
      await this.shared.rooms.join(subscription.group, subscription, from);
    } finally {
      if (this.outbox.catchingUp) {
        void this.outbox.catchingUp.then(leave);
        this.watchReading(unsentBytes(this.raw as Socket));
      } else leave();
    }
  }

  /** While others wait for room, who reads nothing of the beginning is cut off. */
  private watchReading(before: number): void {
    this.shared.clock.after(READING_MS, () => {
      if (this.closing || this.outbox.catchingUp === undefined) return;
      const left = unsentBytes(this.raw as Socket);
      if (left > 0 && left >= before && this.shared.beginnings.crowded) this.tooSlow();
      else this.watchReading(left);
    });
  }

  /** Fails closed: what nobody decides is decided by the address and the config. */
  private admits(access: Access): boolean {
    return access === 'granted' || (access === 'undecided' && (this.authenticated || isOpen(this.shared.config)));
  }

  private refuse(subscription: Subscription, access: Access): void {
    const { subscriptionId, group: { stream } } = subscription;
    this.subscriptions.delete(subscriptionId);
    subscription.over = true;
    if (access === 'unknown_stream') this.fault('unknown_stream', `there is no stream "${stream}"`, subscriptionId);
    else if (access === 'unavailable') this.sendAway(subscriptionId);
    else this.outbox.add(unauthorizedFrame(subscription.forHooks, this.shared.clock.now()));
  }

  /** The family's clients do not read errors, but they come back when the connection ends. */
  private sendAway(subscriptionId: string): void {
    this.fault('unavailable', 'nobody can decide on the join at the moment; try again', subscriptionId);
    this.close(CLOSE.tryAgain, 'nobody can decide on a join at the moment; connect again');
  }

  private failed(subscription: Subscription, error: unknown): void {
    const { subscriptionId, group } = subscription;
    if (subscription.over) return;
    this.drop(subscription);
    this.shared.log.warn('a client could not join a stream', { ...group, reason: reasonOf(error) });
    this.fault('unavailable', 'the group cannot be read at the moment; try again', subscriptionId);
  }

  private leave(subscriptionId: string): void {
    const subscription = this.subscriptions.get(subscriptionId);
    // Leaving twice, or what was refused meanwhile, is nothing that a client could avoid.
    if (subscription) this.drop(subscription);
  }

  private drop(subscription: Subscription): void {
    const { hooks, rooms } = this.shared;
    this.subscriptions.delete(subscription.subscriptionId);
    subscription.over = true;
    subscription.again?.cancel();
    rooms.leave(subscription.group, subscription);
    void subscription.joined?.then(() => hooks.notify('onLeave', subscription.forHooks, this.auth));
  }

  private fault(code: string, message: string, subscriptionId?: string): void {
    this.outbox.add(errorFrame(code, message, subscriptionId));
  }

  private over(): void {
    this.closing = true;
    this.outbox.close();
    for (const subscription of [...this.subscriptions.values()]) this.drop(subscription);
    this.shared.gone(this);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Streams that nothing guards may be joined. */
function isOpen({ auth, host }: StreamConfig): boolean {
  return auth === 'none' || isLoopback(host);
}
