import { DRAIN_GRACE_MS, TreadleError, type Clock } from '@treadle/api';
import type { EngineSettings } from '@treadle/config';
import type { PlannedEntry } from './planned.js';
import { NEVER, sharedController, withDeadline } from './supervision/deadline.js';
import { HandOvers } from './supervision/hand-overs.js';
import { RunningEntry, type EntrySurroundings } from './supervision/running-entry.js';

/** With nobody willing to wait, a stop may still take this long. */
const HURRIED_STOP_MS = 1_000;

/** Builds, starts, drains and stops entries in the right order. */
export class Supervisor {
  /** In start order. */
  private entries: RunningEntry[] = [];
  private places: ReadonlyMap<string, number> = new Map();

  private readonly surroundings: EntrySurroundings;
  /** Of the reload that is under way. */
  readonly handOvers = new HandOvers();

  constructor(surroundings: Omit<EntrySurroundings, 'handOvers'>, private readonly clock: Clock) {
    this.surroundings = { ...surroundings, handOvers: this.handOvers };
  }

  get running(): readonly RunningEntry[] {
    return this.entries;
  }

  /**
   * Stages 9 to 11 for entries in their order. At the first failure everything built by this call is stopped again
   * and the error thrown; what went wrong while stopping is in its `suppressed`.
   */
  async launch(planned: readonly PlannedEntry[], settings: EngineSettings, giveUp: AbortSignal): Promise<void> {
    const built: RunningEntry[] = [];
    try {
      for (const entry of planned) {
        const running = new RunningEntry(entry, this.placeOf(entry.instance.id), this.surroundings);
        built.push(running);
        running.construct();
      }
      for (const entry of built) await entry.init({ ms: settings.init_timeout_ms, giveUp });
      for (const entry of built) await entry.start({ ms: settings.start_timeout_ms, giveUp });
    } catch (error) {
      const errors = await stopAll(built, { ms: settings.stop_timeout_ms, giveUp: NEVER });
      throw withSuppressed(error as TreadleError, errors);
    }
    this.entries.push(...built);
    this.sort();
    for (const entry of built) entry.ready();
  }

  /** Gives a running entry another config. @throws what the module throws, MODULE_TIMEOUT; then the former config is in force */
  async reconfigure(planned: PlannedEntry, settings: EngineSettings, giveUp: AbortSignal): Promise<void> {
    const running = this.entries.find(({ id }) => id === planned.instance.id);
    await running?.reconfigure(planned, {
      ms: settings.start_timeout_ms, giveUp, drainTimeoutMs: settings.drain_timeout_ms, drainDelayMs: settings.drain_delay_ms,
    });
  }

  /** The start order that holds from now on, for what runs and for what is launched later. */
  setOrder(order: readonly PlannedEntry[]): void {
    this.places = new Map(order.map((entry, index) => [entry.instance.id, index]));
    for (const entry of this.entries) entry.order = this.placeOf(entry.id);
    this.sort();
  }

  /** All drains begin at once, in reverse order; returns at the deadline, or soon after `hurry` is aborted. */
  async drain(entries: readonly RunningEntry[], timeoutMs: number, hurry: AbortSignal): Promise<DrainOutcome> {
    const deadline = this.clock.now() + timeoutMs;
    const errors: TreadleError[] = [];
    const over = sharedController();
    const limits = { ms: timeoutMs, giveUp: NEVER };
    const drains = Promise.all([...entries].reverse().map(async (entry) => {
      errors.push(...await entry.drain(deadline, over.signal, limits));
    }));
    const all = async (): Promise<void> => {
      await drains;
    };
    const outcome = await withDeadline({ clock: this.clock, ms: timeoutMs, giveUp: hurry }, all);
    if (outcome === 'done') return { drained: true, errors };
    over.abort();
    await withDeadline({ clock: this.clock, ms: DRAIN_GRACE_MS, giveUp: NEVER }, all);
    return { drained: false, errors: [...errors] };
  }

  /** In reverse start order, every one, always. Returns what went wrong. */
  async stop(entries: readonly RunningEntry[], timeoutMs: number, hurry: AbortSignal): Promise<readonly TreadleError[]> {
    const stopping = new Set(entries);
    const inOrder = this.entries.filter((entry) => stopping.has(entry));
    this.entries = this.entries.filter((entry) => !stopping.has(entry));
    const ms = hurry.aborted ? Math.min(timeoutMs, HURRIED_STOP_MS) : timeoutMs;
    return stopAll(inOrder, { ms, giveUp: NEVER });
  }

  private placeOf(id: string): number {
    return this.places.get(id) ?? Number.MAX_SAFE_INTEGER;
  }

  private sort(): void {
    this.entries.sort((a, b) => a.order - b.order);
  }
}

/** How a drain went. */
export interface DrainOutcome {
  /** Everything was finished before the deadline. */
  readonly drained: boolean;
  readonly errors: readonly TreadleError[];
}

async function stopAll(
  entries: readonly RunningEntry[], limits: { readonly ms: number; readonly giveUp: AbortSignal },
): Promise<readonly TreadleError[]> {
  const errors: TreadleError[] = [];
  for (const entry of [...entries].reverse()) errors.push(...await entry.stop(limits));
  return errors;
}

function withSuppressed(error: TreadleError, suppressed: readonly TreadleError[]): TreadleError {
  if (suppressed.length === 0) return error;
  const { code, message, hint, at, instance, cause } = error;
  const all = [...error.suppressed, ...suppressed];
  return new TreadleError(code, message, hint, { at, instance, cause: cause ?? error, suppressed: all });
}
