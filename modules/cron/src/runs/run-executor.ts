import { type Clock, type CronAdapter, type CronRun, type Invoker, type InvokeRequest, LAST_WORD_MS, type Logger, type StepId, type Timer, type Unsubscribe, wallTime } from '@treadle/api';
import type { CronSpans } from '../cron-telemetry.js';
import { endingOf, type RunEnding } from './run-ending.js';
import { LEASE_MS, type LeasedRuns, RunLeases } from './run-leases.js';
import { RunRecorder } from './run-recorder.js';
import type { Turns } from '../turns.js';
import { type CronJob, requestOf, unbegun } from './run-request.js';

/** How often runs that wait for a worker are looked at again. */
const LOOK_MS = 5_000;
/** How long an answer to a run that is given up may take; some more than the invoker waits for it. */
const ANSWER_MS = LAST_WORD_MS + 50;
/** A run that was cut this often is given up. */
export const MAX_ATTEMPTS = 5;

export interface ExecutorParts {
  readonly invoker: Invoker;
  readonly adapter: CronAdapter;
  readonly clock: Clock;
  readonly log: Logger;
  /** Told of every run that ended and of every tick that was skipped. */
  readonly observe: (run: CronRun) => void;
  readonly spans: CronSpans;
  readonly turns: Turns;
}

interface Held {
  run: CronRun;
  /** Asked before each attempt: a reload may have changed it. Undefined once its trigger has gone. */
  readonly job: () => CronJob | undefined;
  readonly ended: (written: Promise<void>) => void;
  /** Given to the invoker and not answered yet. */
  request: InvokeRequest | undefined;
  /** Its handler waits for a worker. */
  unserved: boolean;
  /** The store is being told that nothing has begun. */
  parking?: Promise<void>;
}

/** Takes claimed runs to their end, and keeps hold of them until then. */
export class RunExecutor {
  private readonly held = new Map<string, Held>();
  /** Claimed runs whose turn has not come. */
  private readonly reserved = new Set<string>();
  private readonly recorder: RunRecorder;
  private readonly stopping: Unsubscribe[] = [];
  private idle: (() => void)[] = [];
  private closing = false;

  constructor(private readonly parts: ExecutorParts) {
    const { clock, invoker } = parts;
    this.recorder = new RunRecorder(parts);
    const leases = new RunLeases(parts, () => this.leased());
    const timer = clock.every(LOOK_MS, () => this.lookAgain());
    this.stopping.push(() => timer.cancel(), () => leases.stop(), invoker.onServing((step, servers) => this.served(step, servers)));
  }

  /** Keeps hold of a run that is to be started or given back later. */
  reserve({ id }: CronRun): void {
    this.reserved.add(id);
  }

  /** Whether a run is in these hands, whatever its lease says. */
  holds(id: string): boolean {
    return this.held.has(id) || this.reserved.has(id);
  }

  /** Whether there is a worker for the Step. */
  serves(step: StepId): boolean {
    return this.parts.invoker.servers(step) > 0;
  }

  /** Whether runs of the Step may wait here for a worker. On a store of several engines they are given back while there is none: another one may have one. */
  keeps(step: StepId): boolean {
    return this.parts.adapter.shared === undefined || this.serves(step);
  }

  /** Starts a run that the caller has claimed; `ended` is called once its handler has ended or is somebody else's, with the writing of its end. */
  start(run: CronRun, job: Held['job'], ended: Held['ended']): void {
    this.begin(this.hold(run, job, ended));
  }

  /** As `start`, for a run whose attempt is not written down yet: one that was claimed as unbegun, or an orphan. */
  takeUp(run: CronRun, job: Held['job'], ended: Held['ended']): void {
    this.resume(this.hold(run, job, ended));
  }

  /** Gives back runs that were reserved and not started. */
  async giveBack(runs: readonly CronRun[]): Promise<void> {
    // Nobody takes them up here until that is written: it would be given back while it runs.
    for (const run of runs) this.reserve(run);
    if (runs.length > 0) await this.recorder.finish(runs);
    for (const { id } of runs) this.reserved.delete(id);
  }

  /** Gives back those of these runs that wait for a worker: their trigger has gone. */
  letGo(ids: Iterable<string>): void {
    for (const held of [...ids].flatMap((id) => this.held.get(id) ?? [])) if (held.unserved) this.end(held, held.run);
  }

  /** Starts no handler any more and waits for those that run; when the signal aborts, they are stopped and given back. */
  async drain(signal: AbortSignal): Promise<void> {
    this.closing = true;
    for (const held of [...this.held.values()]) {
      if (held.unserved) this.end(held, held.run);
      else if (!this.isServed(held)) this.cancel(held);
    }
    await Promise.race([this.whenIdle(), aborted(signal)]);
    for (const held of [...this.held.values()]) this.cancel(held);
    if (this.held.size > 0) await this.lastWords();
    for (const held of [...this.held.values()]) this.breakOff(held);
    await this.recorder.settled();
  }

  /** Gives back what runs, without waiting for it. */
  async stop(): Promise<void> {
    await this.drain(AbortSignal.abort());
    for (const stop of this.stopping.splice(0)) stop();
  }

  private hold(run: CronRun, job: Held['job'], ended: Held['ended']): Held {
    const held: Held = { run, job, ended, request: undefined, unserved: false };
    this.held.set(run.id, held);
    this.reserved.delete(run.id);
    return held;
  }

  /** Its attempt is written down. */
  private begin(held: Held): void {
    const job = held.job();
    if (this.closing || !job) {
      this.end(held, unbegun(held.run));
      return;
    }
    if (!this.isServed(held)) {
      this.park(held);
      return;
    }
    held.run = { ...held.run, firedAt: wallTime(this.parts.clock) };
    const { spans, invoker } = this.parts;
    const [request, began] = [requestOf(held.run, job, spans.traceOf(held.run)), spans.began()];
    held.request = request;
    const answered = (ending: RunEnding): void => {
      spans.ended(held.run, request, began, ending);
      this.answered(held, request, ending);
    };
    invoker.start(request, {
      succeeded: () => answered({ kind: 'ended', status: 'succeeded' }),
      failed: (failure) => answered(endingOf(failure)),
    });
  }

  private answered(held: Held, request: InvokeRequest, ending: RunEnding): void {
    if (held.request !== request || !this.held.has(held.run.id)) return;
    held.request = undefined;
    const { run } = held;
    if (ending.kind === 'ended') this.end(held, this.ended(run, ending), { spanId: request.spanId, stack: ending.stack });
    else if (ending.kind === 'cut') this.cut(held, ending.error);
    else if (this.closing || ending.kind === 'stopped' || !held.job()) this.end(held, ending.kind === 'unserved' || !this.isServed(held) ? unbegun(run) : run);
    else this.park(held);
  }

  /** Waits for a worker. The store is told that nothing has begun: the end of this engine would count as an attempt otherwise. */
  private park(held: Held): void {
    held.run = unbegun(held.run);
    if (!this.isKept(held)) {
      this.end(held, held.run);
      return;
    }
    held.unserved = true;
    held.parking = this.recorder.finish([held.run]);
  }

  /** Its attempt is not written down. */
  private resume(held: Held): void {
    if (this.closing || !held.job() || !this.isKept(held)) {
      this.end(held, held.run);
      return;
    }
    held.unserved = !this.isServed(held);
    if (!held.unserved) void this.beginAgain(held);
  }

  private ended(run: CronRun, { status, error }: RunEnding & { kind: 'ended' }): CronRun {
    const durationMs = Math.max(0, wallTime(this.parts.clock) - run.firedAt);
    return error === undefined ? { ...run, status, durationMs } : { ...run, status, durationMs, error };
  }

  private cut(held: Held, error: string): void {
    const { run } = held;
    if (run.attempt >= MAX_ATTEMPTS) this.end(held, { ...run, status: 'abandoned', error });
    else if (this.closing || !held.job() || !this.isKept(held)) this.end(held, run);
    else void this.beginAgain(held);
  }

  /** The next attempt is written down before it begins, so that the end of this engine does not make it forgotten. */
  private async beginAgain(held: Held): Promise<void> {
    // A try to write it that failed is made again: afterwards it would give back what runs.
    await held.parking;
    await this.recorder.finish([held.run]);
    const taken = await this.recorder.takeOver(held.run, LEASE_MS);
    if (taken) {
      held.run = taken;
      this.begin(held);
    } else {
      held.ended(Promise.resolve());
      this.release(held);
    }
  }

  private end(held: Held, run: CronRun, about?: { readonly spanId: string; readonly stack: string | undefined }): void {
    held.run = run;
    held.request = undefined;
    held.unserved = false;
    if (run.status !== 'running') this.report(run, about);
    // It stays held until its end is written: the lease has to be renewed as long.
    const written = this.recorder.finish([run]).then(() => this.release(held));
    held.ended(written);
  }

  private report(run: CronRun, about: object = {}): void {
    this.parts.observe(run);
    if (run.status === 'succeeded') return;
    const { step: stepName, trigger, scheduledAt, traceId, attempt, error } = run;
    const fields = { stepName, traceId, ...about, trigger, scheduledAt: new Date(scheduledAt).toISOString(), attempt, error };
    this.parts.log.error(run.status === 'abandoned' ? 'cron run abandoned' : 'cron run failed', fields);
  }

  private release(held: Held): void {
    this.held.delete(held.run.id);
    if (this.held.size > 0) return;
    for (const resolve of this.idle.splice(0)) resolve();
  }

  private served(step: StepId, servers: number): void {
    if (servers > 0) for (const held of [...this.held.values()]) if (held.unserved && held.run.step === step) this.resume(held);
  }

  private isServed({ run }: Held): boolean {
    return this.serves(run.step);
  }

  private isKept({ run }: Held): boolean {
    return this.keeps(run.step);
  }

  private cancel({ request }: Held): void {
    if (request) this.parts.invoker.cancel(request, 'drain');
  }

  /** A handler that has just ended has its answer on its way: its run would be broken off, and run once more. */
  private async lastWords(): Promise<void> {
    let timer: Timer | undefined;
    const over = new Promise<void>((resolve) => { timer = this.parts.clock.after(ANSWER_MS, resolve); });
    await Promise.race([this.whenIdle(), over]);
    timer?.cancel();
  }

  /** The invoker has answered a request that was cancelled before; whoever has not is not waited for. */
  private breakOff(held: Held): void {
    this.cancel(held);
    if (held.request) this.end(held, held.run);
  }

  /** A run that has not begun is not missed: whoever begins it asks the store first. */
  private leased(): LeasedRuns {
    const reserved = [...this.reserved].map((id) => [id, () => undefined] as const);
    const held = [...this.held].map(([id, one]) => {
      const { request } = one;
      return [id, () => { if (request && one.request === request) this.lose(one, request); }] as const;
    });
    return new Map<string, () => void>([...reserved, ...held]);
  }

  /** Another engine has begun it again, as after a time without the store: its handler is stopped here. */
  private lose(held: Held, request: InvokeRequest): void {
    const { step: stepName, trigger, scheduledAt, traceId, attempt } = held.run;
    this.parts.log.warn('cron run was taken over by another engine', { stepName, traceId, trigger, scheduledAt: new Date(scheduledAt).toISOString(), attempt });
    held.request = undefined;
    this.parts.invoker.cancel(request, 'drain');
    held.ended(Promise.resolve());
    this.release(held);
  }

  /** Tries those again whose workers were all busy, and gives back those whose workers are gone. */
  private lookAgain(): void {
    for (const held of [...this.held.values()]) if (held.unserved && (this.isServed(held) || !this.isKept(held))) this.resume(held);
  }

  private whenIdle(): Promise<void> {
    return this.held.size === 0 ? Promise.resolve() : new Promise((resolve) => void this.idle.push(resolve));
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
