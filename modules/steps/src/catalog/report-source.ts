import { isDeepStrictEqual } from 'node:util';
import type { StepFileReport } from '@treadle/api';

/** A report and when it came, counted over all sources. */
export interface DatedReport {
  readonly report: StepFileReport;
  readonly order: number;
}

/** What all sessions of one application and runtime say of its Step files; survives them. */
export class ReportSource {
  private readonly latest = new Map<string, DatedReport>();
  private readonly good = new Map<string, StepFileReport>();

  /** @param keepsGood in development a broken file goes on with what was last good */
  constructor(private readonly keepsGood: boolean) {}

  /**
   * Takes a report, unless it is about another version than the one that is wanted and known. Where a process that began anew says what was known,
   * the report of before stays: its schemas are compiled.
   */
  take(dated: DatedReport, wanted?: string): void {
    const known = this.latest.get(dated.report.file)?.report;
    if (wanted !== undefined && known?.version === wanted && dated.report.version !== wanted) return;
    const report = known && isDeepStrictEqual(known, dated.report) ? known : dated.report;
    this.latest.set(report.file, { ...dated, report });
    if (this.keepsGood && !report.problem) this.good.set(report.file, report);
  }

  /** True for a file that was reported, in whatever version and state. */
  knows(file: string): boolean {
    return this.latest.has(file);
  }

  /** True when this version of a file was loaded without a problem. */
  isGood(file: string, version: string): boolean {
    const report = this.latest.get(file)?.report;
    return report?.version === version && report.problem === undefined;
  }

  /** Forgets all files but these. */
  retain(files: ReadonlySet<string>): void {
    for (const file of [...this.latest.keys()]) {
      if (files.has(file)) continue;
      this.latest.delete(file);
      this.good.delete(file);
    }
  }

  /** A broken file shows its problem and, where there is one, the Steps of its last good version. */
  reports(): readonly DatedReport[] {
    return [...this.latest.values()].map((dated) => {
      const good = dated.report.problem && this.good.get(dated.report.file);
      return good ? { ...dated, report: { ...dated.report, steps: good.steps } } : dated;
    });
  }
}
