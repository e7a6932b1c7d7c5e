import type { CatalogChange, DeclaredTriggerKind, Logger, StepFileReport, StepRecord } from '@treadle/api';

/** Steps that one record names at most. */
const NAMED = 50;

/** What a record says of one Step. */
interface NamedChange {
  readonly change: 'added' | 'changed' | 'swapped' | 'removed';
  readonly step: string;
  readonly file: string;
  /** As their kinds print them, e.g. `GET /users/:id`. */
  readonly triggers: readonly string[];
}

export interface CatalogNewsOptions {
  readonly log: Logger;
  readonly kinds: () => readonly DeclaredTriggerKind[];
  /** Development: each Step is named, also one whose handler alone is another. */
  readonly named: boolean;
}

/** Logs what became of the catalog: counts, and in development each Step. */
export class CatalogNews {
  private versions: ReadonlyMap<string, string | undefined> = new Map();

  constructor(private readonly options: CatalogNewsOptions) {}

  /** These are all Steps, and what was reported of their files. */
  tell(change: CatalogChange, steps: readonly StepRecord[], reports: readonly StepFileReport[]): void {
    const { log, named } = this.options;
    const swapped = this.swapped(change, steps, reports);
    const [added, changed, removed] = [change.added.length, change.changed.length, change.removed.length];
    if (added + changed + removed + swapped.length === 0) return;
    log.info('catalog changed', {
      ...counts(steps), added, changed, removed,
      ...(named && { swapped: swapped.length, named: this.names({ added: change.added, changed: change.changed, swapped, removed: change.removed }) }),
    });
  }

  /** Steps whose files, or middleware, were loaded anew without another config. */
  private swapped(change: CatalogChange, steps: readonly StepRecord[], reports: readonly StepFileReport[]): readonly StepRecord[] {
    if (!this.options.named) return [];
    const before = this.versions;
    this.versions = new Map(reports.map(({ file, version, problem }) => [file, problem ? before.get(file) : version]));
    const isNew = (file: string): boolean => before.get(file) !== undefined && before.get(file) !== this.versions.get(file);
    const told = new Set([...change.added, ...change.changed].map(({ id }) => id));
    return steps.filter(({ id, file, middleware = [] }) => !told.has(id) && [file, ...middleware.flat()].some(isNew));
  }

  private names(changes: Readonly<Record<NamedChange['change'], readonly StepRecord[]>>): readonly NamedChange[] {
    const kinds = new Map(this.options.kinds().map((kind) => [kind.type, kind]));
    const all = (Object.keys(changes) as NamedChange['change'][]).flatMap((change) => changes[change].map((step) => ({
      change, step: step.id, file: step.file, triggers: step.config.triggers.map((trigger) => kinds.get(trigger.type)?.label?.(trigger) ?? trigger.type),
    })));
    return all.slice(0, NAMED);
  }
}

/** Declarations of streams are no Steps. */
function counts(records: readonly StepRecord[]): { readonly steps: number; readonly streams?: number } {
  const steps = records.filter(({ role = 'step' }) => role === 'step').length;
  const streams = records.filter(({ role }) => role === 'stream').length;
  return { steps, ...(streams > 0 && { streams }) };
}
