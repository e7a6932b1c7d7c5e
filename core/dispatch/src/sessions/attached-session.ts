import {
  type Call, type MetricPoint, OperationError, type SessionHandle, type SpanRecord, StepFailure, type StepId, type WorkerLogEntry,
} from '@treadle/api';
import type { Dispatcher } from '../calls/dispatcher.js';
import type { PendingCall } from '../calls/pending-call.js';
import type { BoundOperations } from '../catalog/bound-operations.js';
import type { EngineCatalog } from '../catalog/engine-catalog.js';
import type { HandlerLog } from './handler-log.js';
import { lateOrigin } from './log-origin.js';
import type { SessionState } from './session-state.js';

/** What sessions tell goes here. */
export interface SessionParts {
  readonly dispatcher: Dispatcher;
  readonly catalog: EngineCatalog;
  readonly operations: BoundOperations;
  readonly log: HandlerLog;
}

/** What a session tells of its calls and of its process. */
export class AttachedSession implements SessionHandle {
  private readonly dispatcher: Dispatcher;

  constructor(private readonly parts: SessionParts, private readonly state: SessionState) {
    this.dispatcher = parts.dispatcher;
  }

  get running(): number {
    return this.state.calls.size;
  }

  serve(steps: readonly StepId[]): void {
    if (this.state.gone || this.state.retired) return;
    this.dispatcher.pool.assign(this.state, steps);
    this.dispatcher.wake(this.state.steps);
    this.dispatcher.isolation.serves(this.state);
  }

  retire(): void {
    this.state.retired = true;
    this.dispatcher.pool.remove(this.state);
    // Whoever reserved it looks for another.
    this.dispatcher.wake(this.state.steps);
  }

  lost(reason: string, died = false): void {
    if (this.state.gone) return;
    this.state.gone = true;
    this.dispatcher.pool.detach(this.state);
    const calls = this.state.calls.all();
    this.dispatcher.isolation.release(this.state);
    if (died && calls.length > 0) this.tellDeath(reason, calls);
    const rescued = died ? this.dispatcher.isolation.rescue(this.state, calls) : undefined;
    for (const call of calls) if (!rescued?.has(call)) fail(call, reason, died);
  }

  blocked(reason: string, over: () => void): void {
    this.retire();
    this.dispatcher.takeBack(this.state, (ended) => {
      for (const call of ended) fail(call, reason, false);
      this.lost(reason, true);
      over();
    });
  }

  held(): void {
    if (!this.state.held && !this.state.gone) this.dispatcher.isolation.hold(this.state);
  }

  caughtUp(): void {
    if (!this.state.behind && !this.state.held) return;
    this.state.behind = false;
    this.dispatcher.isolation.release(this.state);
    this.dispatcher.wake(this.state.steps);
  }

  call(id: number): Call | undefined {
    return this.state.calls.get(id);
  }

  execute(callId: number, operation: string, args: unknown): Promise<unknown> {
    const call = this.state.active(callId);
    const step = call && this.parts.catalog.known(call.request.step);
    if (!call || !step) {
      return Promise.reject(new OperationError('StaleDelivery', `"${operation}" was refused: the invocation it belongs to is over`));
    }
    const found = this.parts.operations.get(operation);
    const context = { step, call };
    if (found instanceof Promise) return found.then((ready) => ready(args, context));
    try {
      return found(args, context);
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  log(callId: number | undefined, entry: WorkerLogEntry): void {
    const late = lateOrigin(entry);
    this.parts.log.write(entry, late ?? (callId === undefined ? undefined : this.state.originOf(callId)), this.state.session.application);
  }

  spans(spans: readonly SpanRecord[]): void {
    this.dispatcher.watcher?.spans(spans);
  }

  measurements(points: readonly MetricPoint[]): void {
    this.dispatcher.watcher?.measurements(points, this.state.session);
  }

  /** One of what it ran is the likely cause: whoever looks for it begins there. */
  private tellDeath(reason: string, calls: readonly PendingCall[]): void {
    this.parts.log.tell('error', 'a worker died while it ran these Steps', [...new Set(calls.map(({ request }) => request.step))], reason);
  }
}

function fail(call: PendingCall, reason: string, workerDied: boolean): void {
  call.fail(new StepFailure('worker_lost', `the worker of Step "${call.request.step}" was lost: ${reason}`, { workerDied }));
}
