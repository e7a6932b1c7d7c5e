import type { TreadleError } from '@treadle/api';
import type { ReloadReport } from '../engine-reports.js';
import type { EnginePlan, PlannedEntry } from '../planned.js';
import type { Supervisor } from '../supervisor.js';
import { NEVER } from './deadline.js';
import { comparePlans, type ReloadChanges } from './reload-changes.js';

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

  async reload(before: EnginePlan, after: EnginePlan, surroundings: ReloadSurroundings): Promise<ReloadReport> {
    const changes = comparePlans(before, after);
    const errors: TreadleError[] = [...await this.take(changes.stop, before)];
    try {
      surroundings.use(after);
      this.supervisor.setOrder(after.entries);
      await surroundings.prepare(after);
      await this.supervisor.launch(changes.start, after.settings, surroundings.giveUp);
      return { ...summary(changes), errors, rolledBack: false };
    } catch (error) {
      errors.push(error as TreadleError);
      errors.push(...await this.putBack(changes, before, surroundings));
      return { ...summary({ ...changes, start: changes.stop }), errors, rolledBack: true };
    }
  }

  private async take(entries: readonly PlannedEntry[], plan: EnginePlan): Promise<readonly TreadleError[]> {
    const ids = new Set(entries.map((entry) => entry.instance.id));
    const running = this.supervisor.running.filter((entry) => ids.has(entry.id));
    const { drain_timeout_ms, stop_timeout_ms } = plan.settings;
    const { errors } = await this.supervisor.drain(running, drain_timeout_ms, NEVER);
    return [...errors, ...await this.supervisor.stop(running, stop_timeout_ms, NEVER)];
  }

  /** What was stopped is built again from the former plan, one by one: what still works shall run. */
  private async putBack(
    changes: ReloadChanges, before: EnginePlan, surroundings: ReloadSurroundings,
  ): Promise<readonly TreadleError[]> {
    const errors: TreadleError[] = [];
    surroundings.use(before);
    this.supervisor.setOrder(before.entries);
    for (const entry of changes.stop) {
      if (surroundings.giveUp.aborted) break;
      await this.supervisor.launch([entry], before.settings, surroundings.giveUp)
        .catch((error: unknown) => errors.push(error as TreadleError));
    }
    return errors;
  }
}

function summary({ stop, start, unchanged }: ReloadChanges): Omit<ReloadReport, 'errors' | 'rolledBack'> {
  const ids = (entries: readonly PlannedEntry[]): string[] => entries.map((entry) => entry.instance.id);
  const [stopped, started] = [ids(stop), ids(start)];
  return {
    started: started.filter((id) => !stopped.includes(id)),
    stopped: stopped.filter((id) => !started.includes(id)),
    restarted: started.filter((id) => stopped.includes(id)),
    unchanged,
  };
}
