import type { Logger, TreadleError, Unsubscribe } from '@treadle/api';
import type { Engine, EnginePlan, PlanOptions } from '@treadle/kernel';
import type { OutputStream } from '../engine-surroundings.js';
import { asTreadleError, printError } from '../error-output.js';
import type { EngineLock } from '../lock/engine-lock.js';
import { explainAddressInUse } from './address-in-use.js';
import type { AddressBook } from './address-book.js';
import { reloadEngine } from './reload-engine.js';
import { logModules, logReady } from './start-lines.js';
import type { StopCause, StopRequest } from './stop-request.js';
import { within } from './within.js';

/** A stop that an error caused may take this long. */
const SHORT_STOP_MS = 1000;

export interface RunningParts {
  readonly engine: Engine;
  readonly plan: EnginePlan;
  readonly book: AddressBook;
  readonly lock: EngineLock;
  readonly log: Logger;
  readonly stop: StopRequest;
  /** `performance.now()` of what counts as the start. */
  readonly since: number;
  readonly stderr: OutputStream;
  /** How the plan was made; a reload makes it again. */
  readonly planOptions: PlanOptions;
  readonly warn: (warnings: readonly TreadleError[]) => void;
}

/** An engine from its start to its stop, with what it tells the world about itself. */
export class RunningEngine {
  private plan: EnginePlan;
  private endWait: Unsubscribe | undefined;

  constructor(private readonly parts: RunningParts) {
    this.plan = parts.plan;
  }

  /** True when everything runs, false when a stop was asked for meanwhile. @throws the `TreadleError` of the start */
  async start(): Promise<boolean> {
    const { engine, book, log, stop } = this.parts;
    const started = engine.start();
    const cause = await Promise.race([started, stop.requested]).catch(async (error: unknown) => {
      throw await explainAddressInUse(error, this.plan);
    });
    if (cause || stop.cause) {
      started.catch(() => undefined); // A start that is broken off rejects; the report of the stop is what counts.
      return false;
    }
    await this.publish();
    const { entries } = this.plan;
    logModules(log, entries, (entry) => book.of(entry, entries, engine.addresses));
    this.tellReady();
    return true;
  }

  /** Says that the engine is ready once it answers: now, or when the first Step processes have told their Steps. */
  private tellReady(): void {
    const { engine, log, since } = this.parts;
    const { status } = engine.health.report();
    if (status === 'starting') return void (this.endWait ??= engine.health.onChange(() => this.tellReady()));
    this.endWait?.();
    if (status === 'draining') return;
    logReady(log, { plan: this.plan, addresses: engine.addresses, ms: performance.now() - since });
  }

  /** Plans again and applies what changed. Never rejects: it runs beside everything else. */
  async applyChange(): Promise<void> {
    const { engine, lock, log, stderr } = this.parts;
    try {
      this.plan = await reloadEngine({ ...this.parts, current: this.plan });
      lock.publish(engine.addresses);
    } catch (error) {
      const known = asTreadleError(error, 'the reload');
      printError(known, stderr);
      log.error('reload failed', { error: known.cause ?? known });
    }
  }

  /** Stops and returns the exit code: the cause's, else that of the first thing that went wrong while stopping. */
  async close(cause: StopCause): Promise<number> {
    const { engine, log, stop, stderr } = this.parts;
    this.endWait?.();
    if (cause.signal) log.info('stopping', { signal: cause.signal });
    else if (cause.reason !== undefined) log.info('stopping', { reason: cause.reason });
    else log.error('the engine ends', causeFields(cause));
    const stopped = engine.stop({ signal: stop.signal });
    const report = await (cause.error ? within(SHORT_STOP_MS, stopped) : stopped);
    if (cause.error) printError(cause.error, stderr);
    return cause.exitCode || (report?.errors[0]?.exitCode ?? 0);
  }

  /** Without its addresses in `engine.json` nobody finds the engine: then it had better not run. */
  private async publish(): Promise<void> {
    const { engine, lock } = this.parts;
    try {
      lock.publish(engine.addresses);
    } catch (error) {
      await engine.stop({ signal: AbortSignal.abort() });
      throw error;
    }
  }
}

/** An error that nobody expected is logged with its stack, as a field. */
function causeFields({ error }: StopCause): Record<string, unknown> {
  const unexpected = error?.code === 'INTERNAL' && error.cause !== undefined;
  return { code: error?.code, problem: error?.message, ...(unexpected ? { error: error.cause } : {}) };
}
