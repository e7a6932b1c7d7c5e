import type { SessionHandle, StepFileReport, StepId, StepRecord } from '@treadle/api';

/** Which Steps one session can run, and which of them it may serve. */
export class CatalogSession {
  private readonly names = new Map<string, readonly string[]>();
  private served = '';
  /** Steps that it serves now. */
  steps: readonly StepId[] = [];

  constructor(readonly source: string, readonly handle: SessionHandle, private readonly keepsGood: boolean) {}

  get files(): Iterable<string> {
    return this.names.keys();
  }

  /** Replaces what the worker can run. In development a worker keeps the last good version of a broken file. */
  register(reports: readonly StepFileReport[]): void {
    const before = new Map(this.names);
    this.names.clear();
    for (const report of reports) {
      const kept = this.keepsGood && report.problem ? before.get(report.file) : undefined;
      this.names.set(report.file, kept ?? report.steps.map(nameOf));
    }
  }

  /** Serves those of its Steps that are in the catalog under the same name and file. */
  serve(catalog: ReadonlyMap<StepId, StepRecord>): void {
    const mine = [...this.names].flatMap(([file, names]) => names.filter((name) => catalog.get(name)?.file === file));
    this.steps = [...new Set(mine)];
    const key = JSON.stringify(this.steps);
    if (key === this.served) return;
    this.served = key;
    this.handle.serve(this.steps);
  }
}

/** Name in a reported config, or nothing that a Step could be called. */
export function nameOf(step: StepFileReport['steps'][number]): string {
  const name = (step.config as { name?: unknown } | null)?.name;
  return typeof name === 'string' ? name : '';
}
