import { treadleError, type TreadleError } from '@treadle/api';
import type { ReloadReport } from '../engine-reports.js';
import type { EnginePlan, PlannedEntry } from '../planned.js';
import type { Supervisor } from '../supervisor.js';
import { NEVER, unlessGivenUp } from './deadline.js';
import { changedSettings, comparePlans, type Reconfiguration, type ReloadChanges } from './reload-changes.js';

/** How a reload reaches the rest of the engine. */
export interface ReloadSurroundings {
  readonly giveUp: AbortSignal;
  /** The plan whose facts and declarations hold from now on. */
  use(plan: EnginePlan): void;
  /** Before anything of a plan is built. */
  prepare(plan: EnginePlan): Promise<void>;
}

/** What a reload has done so far. */
interface Progress {
  readonly taken: Reconfiguration[];
  /** What had to be stopped is. */
  hasStopped: boolean;
}

/** Goes from one plan to another with as little disturbance as possible. */
export class Reloader {
  /** What a former reload could not bring back, and why. */
  private lost: ReloadReport['lost'] = {};

  constructor(private readonly supervisor: Supervisor) {}

  /** Settings of what runs on first: when one is not taken, nothing has been stopped yet. */
  async reload(before: EnginePlan, after: EnginePlan, surroundings: ReloadSurroundings): Promise<ReloadReport> {
    // A reload that failed may have left less than was planned, or other settings.
    const changes = comparePlans({ ...before, entries: this.supervisor.running.map(({ planned }) => planned) }, after);
    const progress: Progress = { taken: [], hasStopped: false };
    const errors: TreadleError[] = [];
    try {
      for (const pair of changes.reconfigure) {
        await this.supervisor.reconfigure(pair.to, after.settings, surroundings.giveUp);
        progress.taken.push(pair);
      }
      errors.push(...await this.take(changes.stop, before, surroundings.giveUp));
      progress.hasStopped = true;
      surroundings.use(after);
      this.supervisor.setOrder(after.entries);
      await surroundings.prepare(after);
      await this.supervisor.launch(changes.start, after.settings, surroundings.giveUp);
      this.lost = {};
      return { ...summary(changes), errors, rolledBack: false, lost: {} };
    } catch (error) {
      errors.push(error as TreadleError);
      if (surroundings.giveUp.aborted) return this.givenUp(changes, progress, errors);
      const back = await this.putBack(changes, progress, before, surroundings);
      errors.push(...back.values());
      if (surroundings.giveUp.aborted) return this.givenUp(changes, progress, errors);
      return { ...this.afterwards(changes, progress, before, back), errors, rolledBack: true };
    } finally {
      this.supervisor.handOvers.clear();
    }
  }

  /** @throws {ENGINE_STOPPED} when the engine is stopped while they drain: they go on draining, and the stop of the engine waits for them */
  private async take(entries: readonly PlannedEntry[], plan: EnginePlan, giveUp: AbortSignal): Promise<readonly TreadleError[]> {
    const ids = new Set(entries.map(idOf));
    const running = this.supervisor.running.filter((entry) => ids.has(entry.id));
    const { drain_timeout_ms, stop_timeout_ms } = plan.settings;
    const drained = this.supervisor.drain(running, drain_timeout_ms, NEVER);
    if (!await unlessGivenUp(giveUp, drained)) throw treadleError('ENGINE_STOPPED', {});
    const { errors } = await drained;
    return [...errors, ...await this.supervisor.stop(running, stop_timeout_ms, NEVER)];
  }

  /**
   * What was stopped, or is missing since a former reload, is built again from the former plan, one by one, and what was taken is
   * given back: what still works shall run. Returns what went wrong, by instance.
   */
  private async putBack(
    changes: ReloadChanges, { taken, hasStopped }: Progress, before: EnginePlan, surroundings: ReloadSurroundings,
  ): Promise<ReadonlyMap<string, TreadleError>> {
    const errors = new Map<string, TreadleError>();
    const failed = (entry: PlannedEntry) => (error: unknown): void => void errors.set(idOf(entry), error as TreadleError);
    surroundings.use(before);
    this.supervisor.setOrder(before.entries);
    for (const { from } of [...taken].reverse()) {
      await this.supervisor.reconfigure(from, before.settings, surroundings.giveUp).catch(failed(from));
    }
    const touched = new Set([...changes.stop, ...changes.start].map(idOf));
    for (const entry of hasStopped ? before.entries.filter((each) => touched.has(idOf(each))) : []) {
      if (surroundings.giveUp.aborted) break;
      await this.supervisor.launch([entry], before.settings, surroundings.giveUp).catch(failed(entry));
    }
    return errors;
  }

  /** The engine is being stopped: nothing is put back. */
  private givenUp(changes: ReloadChanges, { hasStopped }: Progress, errors: readonly TreadleError[]): ReloadReport {
    const stopped = treadleError('ENGINE_STOPPED', {});
    const all = errors.some(({ code }) => code === stopped.code) ? errors : [...errors, stopped];
    return { ...summary({ ...changes, stop: hasStopped ? changes.stop : [], start: [], reconfigure: [] }), errors: all, rolledBack: false, lost: {} };
  }

  /** What of the former plan runs after all. */
  private afterwards(
    changes: ReloadChanges, { hasStopped }: Progress, before: EnginePlan, back: ReadonlyMap<string, TreadleError>,
  ): Omit<ReloadReport, 'errors' | 'rolledBack'> {
    const running = new Set(this.supervisor.running.map(({ id }) => id));
    const touched = new Set(hasStopped ? [...changes.stop, ...changes.start].map(idOf) : []);
    const missing = before.entries.map(idOf).filter((id) => !running.has(id));
    this.lost = Object.fromEntries(missing.map((id) => [id, back.get(id)?.message ?? this.lost[id] ?? 'it was not started again']));
    const start = before.entries.filter((entry) => touched.has(idOf(entry)) && running.has(idOf(entry)));
    return { ...summary({ ...changes, stop: hasStopped ? changes.stop : [], start, reconfigure: [] }), lost: this.lost };
  }
}

function idOf({ instance }: PlannedEntry): string {
  return instance.id;
}

function summary({ stop, start, reconfigure, unchanged, reasons }: ReloadChanges): Omit<ReloadReport, 'errors' | 'rolledBack' | 'lost'> {
  const [stopped, started] = [stop.map(idOf), start.map(idOf)];
  return {
    started: started.filter((id) => !stopped.includes(id)),
    stopped: stopped.filter((id) => !started.includes(id)),
    restarted: started.filter((id) => stopped.includes(id)),
    reconfigured: Object.fromEntries(reconfigure.map(({ from, to }) => [to.instance.id, changedSettings(from, to)])),
    unchanged, reasons,
  };
}
