import type { Logger, ModuleContext, Unsubscribe } from '@treadle/api';
import type { Weaknesses } from './server-checks.js';

/** Tells the adapters' health how the store is, when that changes. */
export class StoreHealth {
  private readonly users = new Set<Pick<ModuleContext, 'report'>>();
  private problem: string | undefined;
  private state: string | undefined;
  private ended = false;

  constructor(private readonly database: string, private readonly log: Logger) {}

  use(context: Pick<ModuleContext, 'report'>): Unsubscribe {
    this.users.add(context);
    if (this.state !== undefined) context.report('degraded', { message: this.state });
    return () => void this.users.delete(context);
  }

  /** @param problem why the store cannot be used now */
  set(problem: string | undefined, weak: Weaknesses): void {
    if (this.ended) return;
    if ((problem === undefined) !== (this.problem === undefined)) {
      if (problem === undefined) this.log.info(`${this.database} is back`);
      else this.log.error(problem);
    }
    this.problem ??= problem;
    if (problem === undefined) this.problem = undefined;
    const state = this.problem ?? (weak.length === 0 ? undefined : `durability: weak: ${weak.join('; ')}`);
    if (state === this.state) return;
    this.state = state;
    for (const user of this.users) {
      if (state === undefined) user.report('ok');
      else user.report('degraded', { message: state });
    }
  }

  /** Nothing is told any more. */
  end(): void {
    this.ended = true;
  }
}
