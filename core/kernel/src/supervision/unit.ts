import {
  DRAIN_GRACE_MS, TreadleError, treadleError, type Clock, type InstanceId, type Lifecycle, type Logger, type ModuleContext, type Turn,
} from '@treadle/api';
import type { BootStep } from '../engine-reports.js';
import type { AdminRegistry } from './admin-registry.js';
import { withDeadline } from './deadline.js';
import type { HealthBoard } from './health-board.js';
import type { SharedResources } from './shared-resources.js';
import { UnitStatus } from './unit-status.js';

/** What every instance works with. */
export interface UnitServices {
  readonly clock: Clock;
  readonly turn: Turn;
  readonly log: Logger;
  readonly health: HealthBoard;
  readonly shared: SharedResources;
  readonly admin: AdminRegistry;
  /** An instance asks for the end of the engine. */
  readonly fatal: (error: TreadleError) => void;
  readonly boot: (step: BootStep) => void;
}

const PHASE_FAILED = { init: 'MODULE_INIT_FAILED', start: 'MODULE_START_FAILED', reconfigure: 'MODULE_RECONFIGURE_FAILED' } as const;

/** Limits of a phase. */
export interface PhaseLimits {
  readonly ms: number;
  readonly giveUp: AbortSignal;
}

/** Capabilities as the plan found them, and what a reload has left. */
export interface UnitAbilities {
  /** Of an adapter. */
  readonly own?: unknown;
  /** Of the adapter in a module's slot. */
  readonly inSlot?: (slot: string) => unknown;
  /** What was left for a module, see `ModuleContext.former`. */
  readonly former?: () => unknown;
}

/** Limits of going over to another config; see `ReconfigureContext`. */
export interface ReconfigureLimits extends PhaseLimits {
  readonly drainTimeoutMs: number;
  readonly drainDelayMs: number;
}

/** One module or adapter in its supervisor's hands. */
export class Unit {
  private object: Lifecycle | undefined;
  private readonly status: UnitStatus;
  private readonly log: Logger;
  /** The one drain, once it has begun, and what ends its time. */
  private draining: Promise<readonly TreadleError[]> | undefined;
  private readonly drainOver = new AbortController();

  constructor(
    readonly instance: InstanceId,
    /** `modules[3]` or `adapter of modules[2]`. */
    readonly where: string,
    private readonly services: UnitServices,
    private readonly abilities: UnitAbilities = {},
  ) {
    this.log = services.log.child({ instance: instance.id });
    this.status = new UnitStatus(this, services.health, this.log);
  }

  /** Of an adapter. */
  get capabilities(): unknown {
    return this.abilities.own;
  }

  /** Stage 9. `build` hands the instance over as soon as there is one: from then on it will be stopped. @throws {TreadleError} MODULE_CONSTRUCT_FAILED, or the class's own TreadleError */
  construct(build: (keep: (object: Lifecycle) => void) => void): void {
    const began = this.services.clock.monotonic();
    try {
      build((object) => {
        this.object = object;
      });
    } catch (error) {
      throw this.blame(error, (reason) => treadleError('MODULE_CONSTRUCT_FAILED', {
        class: this.instance.id, where: this.where, reason,
      }, { at: this.instance.at, instance: this.instance, cause: error }));
    }
    this.booted('construct', began);
  }

  async init(limits: PhaseLimits): Promise<void> {
    await this.phase('init', limits, (context) => this.object?.init?.(context));
  }

  async start(limits: PhaseLimits): Promise<void> {
    await this.phase('start', limits, (context) => this.object?.start?.(context));
  }

  async reconfigure(config: unknown, { drainTimeoutMs, drainDelayMs, ...limits }: ReconfigureLimits): Promise<void> {
    await this.phase('reconfigure', limits, (context) => this.object?.reconfigure?.(config, { ...context, drainTimeoutMs, drainDelayMs }));
  }

  /** Everything has started. What goes wrong in here is reported in health and log, and stops nothing. */
  ready(): void {
    const began = this.services.clock.monotonic();
    try {
      const returned: unknown = this.object?.ready?.(this.context(new AbortController().signal));
      // A module written in JavaScript may return a promise all the same.
      if (returned instanceof Promise) returned.catch((error: unknown) => this.failedReady(error));
    } catch (error) {
      this.failedReady(error);
    }
    this.status.started();
    this.booted('ready', began);
  }

  /**
   * Returns what went wrong. `signal` is aborted at `deadline` or when nobody waits any more. A second call, of a stop during a reload,
   * waits for the drain that is under way, and its signal ends that as well.
   */
  async drain(deadline: number, signal: AbortSignal, limits: PhaseLimits): Promise<readonly TreadleError[]> {
    const over = this.drainOver;
    if (signal.aborted) over.abort();
    else signal.addEventListener('abort', () => over.abort(), { once: true });
    this.draining ??= this.settle('drain', limits, () => this.object?.drain?.({ log: this.log, deadline, signal: over.signal }));
    return this.draining;
  }

  /** Returns what went wrong; afterwards the instance holds nothing of the engine's any more. */
  async stop(limits: PhaseLimits): Promise<readonly TreadleError[]> {
    this.status.to('stopping');
    const errors = [...await this.settle('stop', limits, (signal) => this.object?.stop?.({ log: this.log, signal }))];
    for (const error of await this.services.shared.release(this)) errors.push(this.stopFailure('stop', error));
    this.services.admin.release(this);
    this.status.to('stopped');
    this.services.health.remove(this);
    return errors;
  }

  /** What a stopped instance leaves for the one in its place; nothing when it fails. */
  handOver(): unknown {
    try {
      return this.object?.handOver?.();
    } catch (error) {
      this.log.warn('a module could not hand over what it kept', { reason: reasonOf(error) });
      return undefined;
    }
  }

  private async phase(
    phase: 'init' | 'start' | 'reconfigure', limits: PhaseLimits, run: (context: ModuleContext) => Promise<void> | undefined,
  ): Promise<void> {
    const { clock } = this.services;
    const began = clock.monotonic();
    const outcome = await withDeadline({ clock, ...limits }, (signal) => run(this.context(signal))).catch((error: unknown) => {
      const params = { class: this.instance.id, where: this.where, ms: Math.round(clock.monotonic() - began) };
      throw this.blame(error, (reason) => treadleError(PHASE_FAILED[phase], {
        ...params, reason,
      }, { at: this.instance.at, instance: this.instance, cause: error }));
    });
    if (outcome === 'late') throw this.timeout(phase, limits.ms);
    if (outcome === 'given_up') throw treadleError('ENGINE_STOPPED', {});
    this.booted(phase, began);
  }

  private async settle(
    phase: 'drain' | 'stop', limits: PhaseLimits, run: (signal: AbortSignal) => Promise<void> | undefined,
  ): Promise<readonly TreadleError[]> {
    try {
      const ms = phase === 'drain' ? limits.ms + DRAIN_GRACE_MS : limits.ms;
      const outcome = await withDeadline({ clock: this.services.clock, ms, giveUp: limits.giveUp }, run);
      return outcome === 'late' ? [this.timeout(phase, limits.ms)] : [];
    } catch (error) {
      return [this.stopFailure(phase, error)];
    }
  }

  private context(signal: AbortSignal): ModuleContext {
    const { clock, turn, shared, admin, fatal } = this.services;
    return {
      instance: this.instance, log: this.log, clock, turn, signal,
      report: (status, detail) => this.status.report(status, detail),
      fatal: (error) => {
        this.status.report('failed', { message: error.message, cause: error });
        fatal(error);
      },
      shared: (key, open, close) => shared.use(this, `${this.instance.package}\0${key}`, open, close),
      admin: admin.routesOf(this, this.instance),
      capabilities: <Caps>(slot: string) => this.abilities.inSlot?.(slot) as Caps | undefined,
      former: this.abilities.former?.(),
    };
  }

  private failedReady(error: unknown): void {
    const failure = this.stopFailure('ready', error);
    this.status.report('failed', { message: failure.message, cause: error });
  }

  /** A TreadleError says what it is; anything else gets the code of the phase. */
  private blame(error: unknown, make: (reason: string) => TreadleError): TreadleError {
    return error instanceof TreadleError ? error : make(reasonOf(error));
  }

  private stopFailure(phase: string, error: unknown): TreadleError {
    return this.blame(error, (reason) => treadleError('MODULE_STOP_FAILED', {
      class: this.instance.id, where: this.where, phase, reason,
    }, { at: this.instance.at, instance: this.instance, cause: error }));
  }

  private timeout(phase: string, ms: number): TreadleError {
    return treadleError('MODULE_TIMEOUT', { class: this.instance.id, of: this.where, phase, seconds: ms / 1000 }, {
      at: this.instance.at, instance: this.instance,
    });
  }

  private booted(phase: BootStep['phase'], began: number): void {
    const { id, classId, path } = this.instance;
    const ms = Math.round((this.services.clock.monotonic() - began) * 100) / 100;
    this.services.boot({ instance: id, class: classId, path, phase, ms });
  }
}

/** What an error says, in one line. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
