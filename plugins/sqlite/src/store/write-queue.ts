import { type Clock, OperationError, type Turn } from '@treadle/api';
import type { StorageFault } from '../driver/storage-fault.js';
import type { Committer } from './committer.js';
import { builtOn, type GroupRequest, type GroupResult } from './group-executor.js';
import type { WriteRequest } from './store-area.js';

/** What became of a write. */
export type Settled =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: OperationError };

/** A write on its way to the disk. */
export interface Ticket {
  readonly request: WriteRequest;
  /** The earlier write whose result this one was computed from: when that fails, this one does. Dropped once settled. */
  base: Ticket | undefined;
  readonly settled: (outcome: Settled) => void;
  state: 'waiting' | 'committing' | 'done' | 'failed';
  /** Why it failed. */
  fault?: StorageFault;
  /** Place in its group while it is being committed. */
  index: number;
}

const NO_ANSWER = { ok: false, fault: { kind: 'io', reason: 'the writer gave no answer' } } as const;

/** Requests in one transaction; more wait for the next, so that no commit takes long. */
const GROUP_LIMIT = 4096;
/** Characters and bytes of rows with which a group ends; a request is never split. On the event loop nothing else runs while a group is committed and moved. */
const GROUP_WEIGHT = 2 * 1024 * 1024;
/** How long a group waits while another program writes to the file, and the pause between two tries; milliseconds. */
const BUSY_MS = 5_000;
const BUSY_PAUSE_MS = 50;

export interface QueueEvents {
  /** A group found the disk full; what frees space was still done. */
  full(fault: StorageFault): void;
  /** Another program writes to the file: the group waits. */
  busy(fault: StorageFault): void;
  /** A group went through. */
  committed(): void;
  /** It is unknown what the disk holds: nothing is acknowledged from now on. */
  broken(fault: StorageFault): void;
}

/**
 * Gathers what is written in a turn of the event loop, or while a group commits, and has it committed as the next group.
 * Writes happen in the order of the calls; `settled` is called when the write is durable or has failed.
 */
export class WriteQueue {
  private gathered: Ticket[] = [];
  private committing = false;
  private failure: OperationError | undefined;
  private idle: (() => void)[] = [];

  private readonly askFlush: () => void;

  constructor(private readonly committer: Committer, turn: Turn, private readonly clock: Pick<Clock, 'monotonic' | 'after'>, private readonly events: QueueEvents) {
    this.askFlush = turn.at('commit', () => this.flush());
  }

  /** Nothing waits and nothing is being committed. */
  get quiet(): boolean {
    return this.gathered.length === 0 && !this.committing;
  }

  add(request: WriteRequest, settled: (outcome: Settled) => void, base?: Ticket): Ticket {
    const ticket: Ticket = { request, settled, base, state: 'waiting', index: -1 };
    this.gathered.push(ticket);
    this.schedule();
    return ticket;
  }

  /** Resolves when everything that was added so far is settled. */
  async drained(): Promise<void> {
    if (!this.quiet) await new Promise<void>((resolve) => void this.idle.push(resolve));
  }

  /** Fails what waits and all that comes. */
  fail(fault: StorageFault): void {
    this.failure ??= failureOf(fault);
    this.schedule();
  }

  private schedule(): void {
    if (!this.committing) this.askFlush();
  }

  private flush(): void {
    if (this.committing || this.gathered.length === 0) return;
    const group = this.gathered.splice(0, this.fitting());
    if (this.failure) {
      for (const ticket of group) settle(ticket, { ok: false, error: this.failure });
      this.next();
      return;
    }
    this.committing = true;
    const requests = group.map((ticket, index) => {
      ticket.state = 'committing';
      ticket.index = index;
      return { ...ticket.request, after: ticket.base?.state === 'committing' ? ticket.base.index : -1 };
    });
    this.commit(group, requests, this.clock.monotonic());
  }

  /** How many of the first make a group. */
  private fitting(): number {
    const most = Math.min(GROUP_LIMIT, this.gathered.length);
    let weight = 0;
    for (let index = 0; index < most; index += 1) {
      weight += weightOf((this.gathered[index] as Ticket).request);
      if (weight > GROUP_WEIGHT && index > 0) return index;
    }
    return most;
  }

  /** While another program writes, nothing of the group is stored, and it is tried again: on the event loop SQLite must not wait itself. */
  private commit(group: readonly Ticket[], requests: readonly GroupRequest[], since: number): void {
    this.committer.commit(requests, (result) => {
      const { fault } = result;
      if (fault?.kind !== 'busy') return this.finish(group, result);
      this.events.busy(fault);
      if (this.failure || this.clock.monotonic() - since >= BUSY_MS) return this.finish(group, result);
      this.clock.after(BUSY_PAUSE_MS, () => this.commit(group, requests, since));
    });
  }

  private finish(group: readonly Ticket[], result: GroupResult): void {
    this.committing = false;
    const { fault } = result;
    if (fault?.kind === 'io' || fault?.kind === 'corrupt') this.failure ??= failureOf(fault);
    group.forEach((ticket, index) => {
      const outcome = result.outcomes[index] ?? NO_ANSWER;
      if (outcome.ok) settle(ticket, outcome);
      else refuse(ticket, outcome.fault);
    });
    this.failDependents();
    if (fault) this.faulty(fault);
    else if (!result.freeingOnly) this.events.committed();
    this.next();
  }

  private faulty(fault: StorageFault): void {
    if (fault.kind === 'full') this.events.full(fault);
    else if (this.failure) this.events.broken(fault);
  }

  /** At once, so that nothing more is computed from values that never came to be. */
  private failDependents(): void {
    const doomed = this.gathered.filter((ticket) => {
      if (ticket.base?.state !== 'failed') return false;
      ticket.state = 'failed';
      ticket.fault = builtOn(ticket.base.fault ?? NO_ANSWER.fault);
      return true;
    });
    if (doomed.length === 0) return;
    this.gathered = this.gathered.filter((ticket) => ticket.state !== 'failed');
    for (const ticket of doomed) refuse(ticket, ticket.fault ?? NO_ANSWER.fault);
  }

  private next(): void {
    if (this.gathered.length > 0) {
      this.schedule();
      return;
    }
    const { idle } = this;
    this.idle = [];
    for (const resolve of idle) resolve();
  }
}

function weightOf({ rows, parts = [] }: WriteRequest): number {
  let weight = 0;
  for (const row of rows) for (const value of row) if (typeof value === 'string' || value instanceof Uint8Array) weight += value.length;
  for (const part of parts) weight += weightOf(part);
  return weight;
}

function refuse(ticket: Ticket, fault: StorageFault): void {
  ticket.fault = fault;
  settle(ticket, { ok: false, error: failureOf(fault) });
}

function settle(ticket: Ticket, outcome: Settled): void {
  ticket.state = outcome.ok ? 'done' : 'failed';
  ticket.base = undefined;
  ticket.settled(outcome);
}

/** A commit that failed on I/O may be on the disk nevertheless. */
function failureOf(fault: StorageFault): OperationError {
  if (fault.kind === 'full') return new OperationError('StorageFull', `nothing was stored: ${fault.reason}`);
  if (fault.kind === 'io' || fault.kind === 'corrupt') {
    return new OperationError('StorageFailed', `it is not known whether this was stored: ${fault.reason}`);
  }
  return new OperationError('StorageRefused', `nothing was stored: ${fault.reason}`);
}
