import { resolve } from 'node:path';
import { TreadleError, type Logger } from '@treadle/api';
import { createLogger, Engine, planEngine, systemClock, type EnginePlan } from '@treadle/kernel';
import { asTreadleError, printError, printErrors } from '../error-output.js';
import { acquireEngineLock, type EngineLock } from '../lock/engine-lock.js';
import { planOptions } from '../plan-options.js';
import { ENGINE_VERSION } from '../version.js';
import { AddressBook } from './address-book.js';
import { watchConfig } from './config-watch.js';
import { CoalescedTask } from './coalesced-task.js';
import type { RunOptions } from './run-options.js';
import { runOutput, type RunOutput } from './run-output.js';
import { keepSeenTime } from './seen-time.js';
import { RunningEngine } from './running-engine.js';
import { warningFields } from './start-lines.js';
import type { StopCause, StopRequest } from './stop-request.js';

/** One life of an engine: plan, lock, start, run, stop. */
export class EngineRun {
  private readonly output: RunOutput;
  private readonly since: number;
  private readonly reloads = new CoalescedTask(async () => this.running?.applyChange());
  private readonly releases: (() => void)[] = [];
  private log: Logger;
  private running: RunningEngine | undefined;

  /** @throws {USAGE} when `LOG_LEVEL` or `LOG_FORMAT` has an unknown value */
  constructor(private readonly options: RunOptions, private readonly stop: StopRequest) {
    this.since = options.since ?? performance.now();
    this.output = runOutput(options);
    this.log = this.logger('treadle');
  }

  /** Runs until the stop request is carried out. Returns the exit code; never rejects. */
  async toEnd(): Promise<number> {
    const unwatched = this.watch();
    try {
      const plan = await Promise.race([this.makePlan(), this.stop.requested]);
      return 'entries' in plan ? await this.run(plan, unwatched) : this.end(plan);
    } catch (error) {
      return this.fail(error);
    } finally {
      this.letGo();
    }
  }

  /** Reads the configuration again and applies what changed; during the start: after it. */
  reload(): void {
    this.reloads.request();
  }

  /** Gives the data directory back and stops watching, whatever else still runs. Idempotent. */
  letGo(): void {
    for (const release of this.releases.splice(0)) release();
  }

  /** The plan, or how the process ends without one. */
  private async makePlan(): Promise<EnginePlan | StopCause> {
    const { plan, errors, warnings } = await planEngine(planOptions(this.options));
    if (!plan) {
      printErrors([...errors, ...warnings], this.options.stderr);
      return { exitCode: errors[0]?.exitCode ?? 70 };
    }
    this.log = this.logger(plan.application);
    this.warn(warnings);
    return plan;
  }

  private end({ exitCode, error }: StopCause): number {
    if (error) printError(error, this.options.stderr);
    return exitCode;
  }

  private async run(plan: EnginePlan, unwatched: unknown): Promise<number> {
    const { stop, log, options, output, since } = this;
    const lock = await this.acquire(plan);
    this.keepTime(plan);
    const book: AddressBook = new AddressBook(() => engine.bootTree);
    const engine = new Engine({
      plan, log: output.sink, logLevel: output.level, engineVersion: ENGINE_VERSION,
      announce: (name) => book.note(name),
      onFatal: (error) => stop.ask({ exitCode: error.exitCode, error }),
    });
    this.running = new RunningEngine({
      engine, plan, book, lock, log, stop, since, stderr: options.stderr,
      planOptions: planOptions(options), warn: (warnings) => this.warn(warnings),
    });
    if (await this.running.start()) {
      if (unwatched !== undefined) log.warn('the configuration file cannot be watched', { file: plan.configFile, error: unwatched });
      this.reloads.start();
    }
    const cause = await stop.requested;
    this.reloads.stop();
    return this.running.close(cause);
  }

  private async acquire(plan: EnginePlan): Promise<EngineLock> {
    const lock = await acquireEngineLock(plan.dataDir, {
      pid: process.pid, startedAt: new Date().toISOString(), version: ENGINE_VERSION,
      application: plan.application, addresses: {},
    });
    this.releases.push(() => lock.release());
    return lock;
  }

  private keepTime({ dataDir }: EnginePlan): void {
    systemClock.onJump = (ms) => this.log.warn('the wall clock jumped: delays and time limits go on with the time that has passed', { ms });
    // Before the lock is given back: the next engine begins with what is written here.
    this.releases.unshift(keepSeenTime(dataDir, systemClock, this.log));
  }

  /** Before the file is read: what is saved during the start is applied after it. Returns why it cannot be watched. */
  private watch(): unknown {
    const { watch, configFile, cwd } = this.options;
    if (!watch || configFile === undefined) return undefined;
    try {
      this.releases.push(watchConfig(resolve(cwd, configFile), () => this.reload()));
      return undefined;
    } catch (error) {
      return error;
    }
  }

  private warn(warnings: readonly TreadleError[]): void {
    if (this.output.text) return printErrors(warnings, this.options.stderr);
    for (const warning of warnings) this.log.warn('configuration warning', warningFields(warning));
  }

  private fail(error: unknown): number {
    const known = asTreadleError(error, this.options.argv0 ?? 'treadle-engine');
    if (!(error instanceof TreadleError)) this.log.error('unexpected error', { error });
    printError(known, this.options.stderr);
    return known.exitCode;
  }

  private logger(service: string): Logger {
    return createLogger(this.output.sink, { service }, this.output.level, systemClock);
  }
}
