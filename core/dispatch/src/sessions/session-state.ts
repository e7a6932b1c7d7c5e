import type { Readable } from 'node:stream';
import { type InvokeRequest, type Session, type StepId, WORKER_CREDITS } from '@treadle/api';
import { type LogOrigin, logOrigin } from './log-origin.js';
import { type CallSession, CallTable, type PendingCall } from '../calls/pending-call.js';

/** Calls that were given up and are remembered for the sake of what their handlers still log. */
const MAX_GIVEN_UP = 1_000;

/** What the engine knows of a session. */
export class SessionState implements CallSession {
  readonly calls = new CallTable<PendingCall>();
  /** Answered calls whose handlers still produce a streamed body: they may go on calling operations. */
  readonly streaming = new Map<number, PendingCall>();
  steps: ReadonlySet<StepId> = new Set();
  retired = false;
  gone = false;
  /** A call was withdrawn from it, since it had not even begun it in time: it gets no delivery until it has caught up. */
  behind = false;
  /** A handler holds up its process. */
  held = false;
  /** For Steps that are kept apart. */
  aside = false;
  private request = 0;
  private delivery = 0;
  /** 0 while the session belongs to an exclusive delivery, waiting or running. */
  private deliveryLimit: number = WORKER_CREDITS.delivery;
  private exclusive: PendingCall | undefined;
  private readonly givenUp = new Map<number, LogOrigin>();

  constructor(readonly session: Session) {}

  hasCredit(lane: InvokeRequest['lane']): boolean {
    return lane === 'request' ? this.request < WORKER_CREDITS.request : !this.behind && !this.held && this.delivery < this.deliveryLimit;
  }

  get deliveries(): number {
    return this.delivery;
  }

  /** For whom no other delivery begins here. */
  get reservedFor(): PendingCall | undefined {
    return this.exclusive;
  }

  /** Lets no delivery begin but this one, until it ends or somebody unreserves. */
  reserve(call: PendingCall): void {
    this.exclusive = call;
    this.deliveryLimit = 0;
  }

  unreserve(call: PendingCall): void {
    if (this.exclusive !== call) return;
    this.exclusive = undefined;
    this.deliveryLimit = WORKER_CREDITS.delivery;
  }

  take(call: PendingCall): void {
    call.session = this;
    this.calls.add(call);
    this[call.request.lane]++;
  }

  /** A call that runs or still streams its answer. */
  active(id: number): PendingCall | undefined {
    return this.calls.get(id) ?? this.streaming.get(id);
  }

  /** In whose name a handler logs: also one whose call timed out or was cancelled. */
  originOf(id: number): LogOrigin | undefined {
    const call = this.active(id);
    return call ? logOrigin(call) : this.givenUp.get(id);
  }

  /** Tells the worker that nobody waits for a call any more. */
  giveUp(call: PendingCall, reason: Parameters<Session['cancel']>[1]): void {
    const [oldest] = this.givenUp.size < MAX_GIVEN_UP ? [] : this.givenUp.keys();
    if (oldest !== undefined) this.givenUp.delete(oldest);
    this.givenUp.set(call.id, logOrigin(call));
    this.session.cancel(call, reason);
  }

  /** Keeps an answered call until its body is complete. */
  keepStreaming(call: PendingCall, stream: Readable): void {
    this.streaming.set(call.id, call);
    stream.once('close', () => this.streaming.delete(call.id));
  }

  release(call: PendingCall): void {
    if (this.calls.delete(call)) this[call.request.lane]--;
    if (this.exclusive !== undefined) this.unreserve(call);
  }
}
