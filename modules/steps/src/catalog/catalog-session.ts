import type { LoadedStep, SessionHandle, StepFileReport, StepId, StepRecord } from '@treadle/api';
import { declaredName } from '../diagnostics/declaration-check.js';

/** An entry of the catalog and the build that it was taken from. */
export interface CatalogEntry {
  readonly record: StepRecord;
  readonly build: string;
}

/** Who a session is. */
export interface SessionOrigin {
  /** Sessions with the same source bring the same files; a later one replaces what an earlier one said. */
  readonly source: string;
  readonly application: string;
  /** Key of its build. */
  readonly build: string;
  /** In development a worker keeps the last good version of a broken file. */
  readonly keepsGood: boolean;
}

interface OwnStep {
  readonly name: string;
  readonly triggers: readonly string[];
}

/** Which Steps one session can run, and which of them it may serve. */
export class CatalogSession {
  private readonly own = new Map<string, readonly OwnStep[]>();
  private served = '';
  /** Steps that it serves now. */
  steps: readonly StepId[] = [];

  constructor(readonly origin: SessionOrigin, readonly handle: SessionHandle) {}

  get files(): readonly string[] {
    return [...this.own.keys()];
  }

  /** Replaces what the worker can run. */
  register(reports: readonly StepFileReport[]): void {
    const before = new Map(this.own);
    this.own.clear();
    for (const report of reports) {
      if (report.elsewhere || report.held) {
        this.own.set(report.file, []);
        continue;
      }
      const kept = this.origin.keepsGood && report.problem ? before.get(report.file) : undefined;
      this.own.set(report.file, kept ?? report.steps.map((step) => ({ name: declaredName(step), triggers: triggersOf(step) })));
    }
  }

  /** Serves those of its Steps that are in the catalog and that it can run as the catalog describes them. */
  serve(catalog: ReadonlyMap<StepId, CatalogEntry>): void {
    const mine = [...this.own].flatMap(([file, steps]) => steps.filter((step) => this.canRun(file, step, catalog.get(step.name))));
    this.steps = [...new Set(mine.map(({ name }) => name))];
    const key = JSON.stringify(this.steps);
    if (key === this.served) return;
    this.served = key;
    this.handle.serve(this.steps);
  }

  /** Calls name a trigger by its index: a Step of another build serves when it has the same triggers in these places. */
  private canRun(file: string, { triggers }: OwnStep, entry: CatalogEntry | undefined): boolean {
    if (!entry || entry.record.application !== this.origin.application) return false;
    if (entry.build === this.origin.build) return entry.record.file === file;
    return triggersOf(entry.record).every((trigger, index) => trigger === triggers[index]);
  }
}

/** What a trigger is called by: its kind, and the topic that messages come from. */
function triggersOf({ role, config }: Pick<LoadedStep, 'role' | 'config'>): readonly string[] {
  if (role === 'stream' || role === 'stream-auth') return [role];
  const { triggers } = (config ?? {}) as { readonly triggers?: unknown };
  return Array.isArray(triggers) ? triggers.map((trigger) => {
    const { type, topic } = (trigger ?? {}) as { readonly type?: unknown; readonly topic?: unknown };
    return JSON.stringify([type, topic]);
  }) : [];
}
