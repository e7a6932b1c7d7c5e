import { mkdir } from 'node:fs/promises';
import {
  AdminCatalog, EffectiveSettings, EngineInfo, EngineLog, Health, treadleError,
  type Clock, type InstanceStatus, type Logger, type LogSink, type Token, type TreadleError,
} from '@treadle/api';
import { effectiveSettings, valueFault } from '@treadle/config';
import { type Declared, Dispatch } from '@treadle/dispatch';
import { systemClock } from './clock.js';
import type { BootStep, EngineOptions, ReloadReport, StopReport } from './engine-reports.js';
import { createLogger, SafeSink } from './log/index.js';
import type { EnginePlan } from './planned.js';
import { declaredKinds } from './planning/declared-kinds.js';
import { Scope } from './scope.js';
import { AdminRegistry } from './supervision/admin-registry.js';
import { awake, pause, sharedController, withDeadline } from './supervision/deadline.js';
import { EngineFacts } from './supervision/engine-facts.js';
import { HealthBoard } from './supervision/health-board.js';
import { PortTable } from './supervision/port-table.js';
import { Reloader } from './supervision/reloader.js';
import { SharedResources } from './supervision/shared-resources.js';
import { Supervisor } from './supervisor.js';
import { EngineTurn } from './turn.js';

/** A running composition of modules, made from a plan. Everything it holds is its own: several may live in a process. */
export class Engine {
  readonly dispatch: Dispatch;
  readonly health: Health;
  readonly bootTree: readonly BootStep[];
  private readonly steps: BootStep[] = [];
  private readonly board = new HealthBoard();
  private readonly ports = new PortTable();
  private readonly scope = Scope.root();
  private readonly clock: Clock;
  private readonly log: Logger;
  private readonly facts: EngineFacts;
  private readonly supervisor: Supervisor;
  private readonly reloader: Reloader;
  /** Aborted by the first stop: a start or reload under way ends at once. */
  private readonly giveUp = sharedController();
  /** Aborted by a second stop signal or a fatal error: nothing is waited for. */
  private readonly hurry = sharedController();
  private starting: Promise<void> | undefined;
  private reloading: Promise<unknown> = Promise.resolve();
  private stopping: Promise<StopReport> | undefined;
  private fatalError: TreadleError | undefined;

  constructor(private readonly options: EngineOptions) {
    const { plan, clock = systemClock, logLevel = 'info' } = options;
    const sink = new SafeSink(options.log, logLevel);
    const service = plan.application;
    this.clock = clock;
    this.log = createLogger(sink, { service }, logLevel, clock);
    this.facts = new EngineFacts(plan, options.engineVersion, options.announce);
    this.dispatch = new Dispatch({ clock, ...declarations(plan), log: sink, service, checkArguments: valueFault });
    this.health = this.board;
    this.bootTree = this.steps;
    this.supervisor = this.makeSupervisor(sink);
    this.reloader = new Reloader(this.supervisor);
  }

  /** Names and addresses of open ports and sockets. */
  get addresses(): ReadonlyMap<string, string> {
    return this.facts.addresses;
  }

  /** The plan that runs. */
  get plan(): EnginePlan {
    return this.facts.plan;
  }

  /** What a running module provides. */
  port<T>(token: Token<T>): T | undefined {
    return this.ports.get(token) as T | undefined;
  }

  /**
   * Stages 9 to 11. Rejects with the first error after having stopped what was built; with ENGINE_STOPPED when
   * `stop()` came in between. May be called once.
   * @throws {TreadleError} DATA_DIR_UNUSABLE, MODULE_…, DI_…, or what a module threw
   */
  start(): Promise<void> {
    this.starting ??= awake(() => this.boot());
    return this.starting;
  }

  /**
   * Health `draining`, `drain_delay_ms` of serving, then all modules drain until `drain_timeout_ms`, then stop in
   * reverse order. Never rejects; every call gets the same report. An aborted `signal` ends all waiting.
   */
  stop(options: { readonly signal?: AbortSignal } = {}): Promise<StopReport> {
    const { signal } = options;
    if (signal?.aborted) this.hurry.abort();
    else signal?.addEventListener('abort', () => this.hurry.abort(), { once: true });
    this.stopping ??= awake(() => this.shutDown());
    return this.stopping;
  }

  /**
   * Goes over to another plan: restarts what changed and what depends on it, leaves the rest running. When the new
   * entries do not start, the former ones are put back. Reloads run one after the other; never rejects.
   */
  reload(next: EnginePlan): Promise<ReloadReport> {
    const report = this.reloading.then(() => awake(() => this.applyPlan(next)));
    this.reloading = report;
    return report;
  }

  private makeSupervisor(sink: LogSink): Supervisor {
    const { scope, ports, clock, log } = this;
    const admin = new AdminRegistry({ instances: () => this.board.all(), addresses: () => this.addresses, views: () => this.plan.registry.views });
    for (const { token, value } of this.dispatch.bindings()) scope.value(token, value);
    scope.value(Health, this.board);
    scope.value(EngineLog, sink);
    scope.value(EngineInfo, this.facts.infoFor(this));
    scope.value(AdminCatalog, admin);
    scope.value(EffectiveSettings, { list: () => effectiveSettings(this.plan.effective) });
    const services = {
      clock, log, admin, turn: new EngineTurn(clock), health: this.board, shared: new SharedResources(),
      fatal: (error: TreadleError) => this.fatal(error),
      boot: (step: BootStep) => {
        this.steps.push(step);
        log.debug('boot', { ...step });
      },
    };
    return new Supervisor({ root: scope, ports, services, facts: this.facts }, clock);
  }

  private async boot(): Promise<void> {
    if (this.stopping) throw treadleError('ENGINE_STOPPED', {});
    const began = this.clock.monotonic();
    const { plan } = this;
    await this.makeDataDir(plan.dataDir);
    this.logAliases(plan);
    this.supervisor.setOrder(plan.entries);
    await this.supervisor.launch(plan.entries, plan.settings, this.giveUp.signal).catch((error: unknown) => {
      throw this.fatalError ?? error;
    });
    this.board.running();
    const ms = Math.round(this.clock.monotonic() - began);
    this.log.debug('engine started', { ...Object.fromEntries(this.addresses), modules: plan.entries.length, ms });
  }

  private async makeDataDir(dir: string): Promise<void> {
    try {
      await mkdir(dir, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw treadleError('DATA_DIR_UNUSABLE', { dir, reason: (error as Error).message }, { cause: error });
    }
  }

  /** The log says which class served an alias. */
  private logAliases(plan: EnginePlan): void {
    for (const entry of plan.entries) {
      for (const { servedAs, spec, instance } of [entry, ...entry.adapters]) {
        if (servedAs) this.log.info('class served under another name', { written: servedAs, class: spec.id, path: instance.path });
      }
    }
  }

  private async applyPlan(next: EnginePlan): Promise<ReloadReport> {
    const started = await this.hasStarted();
    if (!started || this.stopping) return { ...NOTHING, errors: [treadleError('ENGINE_STOPPED', {})] };
    const report = await this.reloader.reload(this.plan, next, {
      giveUp: this.giveUp.signal,
      use: (plan) => {
        this.facts.plan = plan;
        this.dispatch.declare(declarations(plan));
      },
      prepare: (plan) => this.makeDataDir(plan.dataDir),
    });
    if (report.errors.some(({ code }) => code === 'ENGINE_STOPPED')) {
      this.log.info('reload given up: the engine stops');
      return report;
    }
    this.board.miss(missingOf(this.plan, report.lost));
    const { errors, ...done } = report;
    this.log.info('configuration reloaded', done);
    for (const error of errors) this.log.error(error.message, { code: error.code });
    return report;
  }

  private async shutDown(): Promise<StopReport> {
    const began = this.clock.monotonic();
    this.board.drain();
    this.giveUp.abort();
    const started = await this.hasStarted();
    await this.reloading;
    const { drained, errors } = started ? await this.drain() : { drained: true, errors: [] };
    this.dispatch.invoker.close();
    const all = this.supervisor.running;
    const stopErrors = await this.supervisor.stop(all, this.plan.settings.stop_timeout_ms, this.hurry.signal);
    this.scope.dispose();
    const report = { errors: [...errors, ...stopErrors], drained, ms: Math.round(this.clock.monotonic() - began) };
    for (const error of report.errors) this.log.error(error.message, { code: error.code });
    this.log.info('engine stopped', { ms: report.ms, drained });
    return report;
  }

  /** The error of a failed start went to who called it. */
  private async hasStarted(): Promise<boolean> {
    return this.starting === undefined ? false : this.starting.then(() => true, () => false);
  }

  private async drain(): Promise<{ drained: boolean; errors: readonly TreadleError[] }> {
    const { drain_delay_ms, drain_timeout_ms } = this.plan.settings;
    const hurry = this.hurry.signal;
    await pause({ clock: this.clock, ms: drain_delay_ms, giveUp: hurry });
    const deadline = this.clock.monotonic() + drain_timeout_ms;
    const outcome = await this.supervisor.drain(this.supervisor.running, drain_timeout_ms, hurry);
    // Only now: a request that was being read when the drain began may still start its handler.
    this.dispatch.invoker.close();
    const ms = Math.max(0, deadline - this.clock.monotonic());
    const rest = await withDeadline({ clock: this.clock, ms, giveUp: hurry }, (signal) => this.dispatch.invoker.drained(signal));
    if (rest === 'late') this.dispatch.invoker.cancelAll();
    return { drained: outcome.drained && rest === 'done', errors: outcome.errors };
  }

  private fatal(error: TreadleError): void {
    if (this.fatalError) return;
    this.fatalError = error;
    this.log.error(error.message, { code: error.code, fatal: true });
    this.hurry.abort();
    void this.stop();
    this.options.onFatal?.(error);
  }
}

const NOTHING: ReloadReport = { started: [], stopped: [], restarted: [], reconfigured: {}, unchanged: [], reasons: {}, errors: [], rolledBack: false, lost: {} };

function missingOf({ entries }: EnginePlan, lost: ReloadReport['lost']): readonly InstanceStatus[] {
  return entries.flatMap(({ instance }) => (instance.id in lost ? [{ instance, status: 'failed' as const, message: lost[instance.id] }] : []));
}

function declarations(plan: EnginePlan): Declared {
  return {
    kinds: declaredKinds(plan),
    operations: plan.entries.flatMap(({ spec }) => spec.operations ?? []),
  };
}
