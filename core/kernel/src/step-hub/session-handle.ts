import {
  type Call, type MetricPoint, OperationError, type SessionHandle, type SpanRecord, StepFailure, type StepId, type WorkerLogEntry,
} from '@treadle/api';
import { lateOrigin } from './log-origin.js';
import type { PendingCall } from './pending-call.js';
import type { SessionState } from './session-state.js';
import type { StepHubImpl } from './step-hub.js';

/** A session's way into the hub. */
export class HubSessionHandle implements SessionHandle {
  constructor(private readonly hub: StepHubImpl, private readonly state: SessionState) {}

  get running(): number {
    return this.state.calls.size;
  }

  serve(steps: readonly StepId[]): void {
    if (this.state.gone || this.state.retired) return;
    this.hub.dispatcher.pool.assign(this.state, steps);
    this.hub.dispatcher.wake(this.state.steps);
    this.hub.dispatcher.isolation.serves(this.state);
  }

  retire(): void {
    this.state.retired = true;
    this.hub.dispatcher.pool.remove(this.state);
    // Whoever reserved it looks for another.
    this.hub.dispatcher.wake(this.state.steps);
  }

  lost(reason: string, died = false): void {
    if (this.state.gone) return;
    this.state.gone = true;
    this.hub.forget(this.state);
    const calls = this.state.calls.all();
    this.hub.dispatcher.isolation.release(this.state);
    if (died && calls.length > 0) this.hub.tellDeath(reason, calls);
    const rescued = died ? this.hub.dispatcher.isolation.rescue(this.state, calls) : undefined;
    for (const call of calls) if (!rescued?.has(call)) fail(call, reason, died);
  }

  blocked(reason: string, over: () => void): void {
    this.retire();
    this.hub.dispatcher.takeBack(this.state, (ended) => {
      for (const call of ended) fail(call, reason, false);
      this.lost(reason, true);
      over();
    });
  }

  held(): void {
    if (!this.state.held && !this.state.gone) this.hub.dispatcher.isolation.hold(this.state);
  }

  caughtUp(): void {
    if (!this.state.behind && !this.state.held) return;
    this.state.behind = false;
    this.hub.dispatcher.isolation.release(this.state);
    this.hub.dispatcher.wake(this.state.steps);
  }

  call(id: number): Call | undefined {
    return this.state.calls.get(id);
  }

  execute(callId: number, operation: string, args: unknown): Promise<unknown> {
    const call = this.state.active(callId);
    const step = call && this.hub.recordOf(call.request.step);
    if (!call || !step) {
      return Promise.reject(new OperationError('StaleDelivery', `"${operation}" was refused: the invocation it belongs to is over`));
    }
    const found = this.hub.operation(operation);
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
    this.hub.writeLog(entry, late ?? (callId === undefined ? undefined : this.state.originOf(callId)));
  }

  spans(spans: readonly SpanRecord[]): void {
    this.hub.dispatcher.watcher?.spans(spans);
  }

  measurements(points: readonly MetricPoint[]): void {
    this.hub.dispatcher.watcher?.measurements(points, this.state.session);
  }
}

function fail(call: PendingCall, reason: string, workerDied: boolean): void {
  call.fail(new StepFailure('worker_lost', `the worker of Step "${call.request.step}" was lost: ${reason}`, { workerDied }));
}
