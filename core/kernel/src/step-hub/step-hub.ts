import {
  NO_SPAN, NO_TRACE, type CallAnswer, type CallWatcher, type CatalogChange, type Clock, type DeclaredTriggerKind, type InvokeRequest,
  type LogSink, type Operation, type OperationSpec, type SessionHandle, type StepHub, type StepId, type StepRecord, type StepResult,
  type TriggerKindBinding, type Unsubscribe, type WorkerLogEntry, type WorkerSession, wallTime,
} from '@treadle/api';
import { Catalog } from './catalog.js';
import { Dispatcher } from './dispatcher.js';
import type { LogOrigin } from './log-origin.js';
import { Operations } from './operations.js';
import type { PendingCall } from './pending-call.js';
import { HubSessionHandle } from './session-handle.js';
import { SessionState } from './session-state.js';

export interface StepHubOptions {
  readonly clock: Clock;
  /** Declared by the modules of the plan. */
  readonly kinds: readonly DeclaredTriggerKind[];
  readonly operations: readonly OperationSpec[];
  readonly log: LogSink;
  /** Service name in log records. */
  readonly service: string;
}

/** Names of Steps that a log line tells at most. */
const TOLD_STEPS = 20;

/** Where Steps, the modules that start them and the workers that run them meet. */
export class StepHubImpl implements StepHub {
  readonly dispatcher: Dispatcher;
  private readonly catalog: Catalog;
  private readonly sessions = new Set<SessionState>();
  private readonly served: Operations;
  private kinds: readonly DeclaredTriggerKind[];
  private whole = true;
  private readonly settledListeners = new Set<(settled: boolean) => void>();

  constructor(private readonly options: StepHubOptions) {
    this.kinds = options.kinds;
    this.dispatcher = new Dispatcher(options.clock, (message, steps) => this.tellSteps('warn', message, steps));
    this.served = new Operations(options.operations, options.clock);
    this.catalog = new Catalog((step, trigger, error) => this.writeLog({
      time: wallTime(options.clock), level: 'error', message: 'a trigger could not be bound', stepName: step.id,
      fields: { trigger: trigger.type, file: step.file, error: error instanceof Error ? error.message : String(error) },
    }));
  }

  get running(): number {
    return this.dispatcher.running;
  }

  steps(): readonly StepRecord[] {
    return this.catalog.all();
  }

  step(id: StepId): StepRecord | undefined {
    return this.catalog.get(id);
  }

  /** The record of a Step, also one that was removed while its handler ran. */
  recordOf(id: StepId): StepRecord | undefined {
    return this.catalog.known(id);
  }

  publish(steps: readonly StepRecord[]): CatalogChange {
    return this.catalog.publish(steps);
  }

  onChange(listener: (change: CatalogChange) => void): Unsubscribe {
    return this.catalog.onChange(listener);
  }

  triggerKinds(): readonly DeclaredTriggerKind[] {
    return this.kinds;
  }

  /** What the modules declare has changed with a reload. */
  declare(kinds: readonly DeclaredTriggerKind[], operations: readonly OperationSpec[]): void {
    this.kinds = kinds;
    this.served.declared = operations;
  }

  operations(): readonly OperationSpec[] {
    return this.served.declared;
  }

  bindTriggerKind(type: string, binding: TriggerKindBinding): Unsubscribe {
    return this.catalog.bindKind(type, binding);
  }

  bindOperation(name: string, operation: Operation): Unsubscribe {
    return this.served.bind(name, operation);
  }

  operation(name: string): Operation | Promise<Operation> {
    return this.served.get(name);
  }

  start(request: InvokeRequest, answer: CallAnswer): void {
    this.dispatcher.start(request, answer);
  }

  invoke(request: InvokeRequest): Promise<StepResult> {
    return new Promise((succeeded, failed) => this.dispatcher.start(request, { succeeded, failed }));
  }

  cancel(request: InvokeRequest, reason: 'client_gone' | 'drain'): void {
    this.dispatcher.cancel(request, reason, this.sessions);
  }

  /** Gives up on all that is left when the time to drain is over: handlers see their signal abort, callers an answer. */
  cancelAll(): void {
    this.dispatcher.cancelAll(this.sessions);
  }

  attach(session: WorkerSession): SessionHandle {
    const state = new SessionState(session);
    this.sessions.add(state);
    return new HubSessionHandle(this, state);
  }

  watch(watcher: CallWatcher): Unsubscribe {
    this.dispatcher.watcher = watcher;
    return () => {
      if (this.dispatcher.watcher === watcher) this.dispatcher.watcher = undefined;
    };
  }

  servers(step: StepId): number {
    return this.dispatcher.pool.servers(step);
  }

  onServing(listener: (step: StepId, servers: number) => void): Unsubscribe {
    return this.dispatcher.pool.onServing(listener);
  }

  get settled(): boolean {
    return this.whole;
  }

  settle(settled: boolean): void {
    if (settled === this.whole) return;
    this.whole = settled;
    for (const listener of [...this.settledListeners]) listener(settled);
  }

  onSettled(listener: (settled: boolean) => void): Unsubscribe {
    this.settledListeners.add(listener);
    return () => this.settledListeners.delete(listener);
  }

  close(): void {
    this.dispatcher.close();
  }

  /** Resolves when nothing runs or waits any more, or when the signal aborts. */
  drained(signal: AbortSignal): Promise<void> {
    return this.dispatcher.drained(signal);
  }

  /** Called by a handle whose session is gone. */
  forget(state: SessionState): void {
    this.sessions.delete(state);
    this.dispatcher.pool.remove(state);
  }

  /** A worker has died, and one of what it ran is the likely cause: whoever looks for it begins there. */
  tellDeath(reason: string, calls: readonly PendingCall[]): void {
    this.tellSteps('error', 'a worker died while it ran these Steps', [...new Set(calls.map(({ request }) => request.step))], reason);
  }

  /** Writes a handler's record with the identity of its call. */
  writeLog(entry: WorkerLogEntry, origin?: LogOrigin): void {
    const { time, level, message, fields, stepName = '' } = entry;
    this.options.log.write({
      timestamp: new Date(time).toISOString(), level, message,
      traceId: origin?.traceId ?? NO_TRACE, spanId: origin?.spanId ?? NO_SPAN,
      service: this.options.service, stepName: origin?.step ?? stepName,
      ...(fields === undefined ? {} : { fields }),
    });
  }

  private tellSteps(level: 'warn' | 'error', message: string, steps: readonly StepId[], reason?: string): void {
    this.writeLog({
      time: this.options.clock.now(), level, message,
      fields: { ...(reason !== undefined && { reason }), steps: steps.slice(0, TOLD_STEPS).join(', '), count: steps.length },
    });
  }
}
