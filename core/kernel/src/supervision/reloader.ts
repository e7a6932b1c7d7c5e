import type { TreadleError } from '@treadle/api';
import type { ReloadReport } from '../engine-reports.js';
import type { EnginePlan, PlannedEntry } from '../planned.js';
import type { Supervisor } from '../supervisor.js';
import { NEVER } from './deadline.js';
import { changedSettings, comparePlans, type Reconfiguration, type ReloadChanges } from './reload-changes.js';

/** How a reload reaches the rest of the engine. */
export interface ReloadSurroundings {
  readonly giveUp: AbortSignal;
  /** The plan whose facts and declarations hold from now on. */
  use(plan: EnginePlan): void;
  /** Before anything of a plan is built. */
  prepare(plan: EnginePlan): Promise<void>;
}

/** Goes from one plan to another with as little disturbance as possible. */
export class Reloader {
  constructor(private readonly supervisor: Supervisor) {}

  /** Settings of what runs on first: when one is not taken, nothing has been stopped yet. */
  async reload(before: EnginePlan, after: EnginePlan, surroundings: ReloadSurroundings): Promise<ReloadReport> {
    const changes = comparePlans(before, after);
    const taken: Reconfiguration[] = [];
    const errors: TreadleError[] = [];
    let stopped: readonly PlannedEntry[] = [];
    try {
      for (const pair of changes.reconfigure) {
        await this.supervisor.reconfigure(pair.to, after.settings, surroundings.giveUp);
        taken.push(pair);
      }
      stopped = changes.stop;
      errors.push(...await this.take(changes.stop, before));
      surroundings.use(after);
      this.supervisor.setOrder(after.entries);
      await surroundings.prepare(after);
      await this.supervisor.launch(changes.start, after.settings, surroundings.giveUp);
      return { ...summary(changes), errors, rolledBack: false };
    } catch (error) {
      errors.push(error as TreadleError, ...await this.putBack({ stopped, taken }, before, surroundings));
      return { ...summary({ ...changes, stop: stopped, start: stopped, reconfigure: [] }), errors, rolledBack: true };
    } finally {
      this.supervisor.handOvers.clear();
    }
  }

  private async take(entries: readonly PlannedEntry[], plan: EnginePlan): Promise<readonly TreadleError[]> {
    const ids = new Set(entries.map((entry) => entry.instance.id));
    const running = this.supervisor.running.filter((entry) => ids.has(entry.id));
    const { drain_timeout_ms, stop_timeout_ms } = plan.settings;
    const { errors } = await this.supervisor.drain(running, drain_timeout_ms, NEVER);
    return [...errors, ...await this.supervisor.stop(running, stop_timeout_ms, NEVER)];
  }

  /** What was stopped is built again from the former plan, one by one, and what was taken is given back: what still works shall run. */
  private async putBack(
    { stopped, taken }: { readonly stopped: readonly PlannedEntry[]; readonly taken: readonly Reconfiguration[] },
    before: EnginePlan, surroundings: ReloadSurroundings,
  ): Promise<readonly TreadleError[]> {
    const errors: TreadleError[] = [];
    const failed = (error: unknown): void => void errors.push(error as TreadleError);
    surroundings.use(before);
    this.supervisor.setOrder(before.entries);
    for (const { from } of [...taken].reverse()) {
      await this.supervisor.reconfigure(from, before.settings, surroundings.giveUp).catch(failed);
    }
    for (const entry of stopped) {
      if (surroundings.giveUp.aborted) break;
      await this.supervisor.launch([entry], before.settings, surroundings.giveUp).catch(failed);
    }
    return errors;
  }
}

function summary({ stop, start, reconfigure, unchanged, reasons }: ReloadChanges): Omit<ReloadReport, 'errors' | 'rolledBack'> {
  const ids = (entries: readonly PlannedEntry[]): string[] => entries.map((entry) => entry.instance.id);
  const [stopped, started] = [ids(stop), ids(start)];
  return {
    started: started.filter((id) => !stopped.includes(id)),
    stopped: stopped.filter((id) => !started.includes(id)),
    restarted: started.filter((id) => stopped.includes(id)),
    reconfigured: Object.fromEntries(reconfigure.map(({ from, to }) => [to.instance.id, changedSettings(from, to)])),
    unchanged, reasons,
  };
}
