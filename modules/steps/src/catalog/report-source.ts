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
   * the report of before stays: its schemas are compiled. Returns whether it says something new.
   */
  take(dated: DatedReport, wanted?: string): boolean {
    const known = this.latest.get(dated.report.file)?.report;
    if (wanted !== undefined && known?.version === wanted && dated.report.version !== wanted) return false;
    const report = known && isDeepStrictEqual(known, dated.report) ? known : dated.report;
    this.latest.set(report.file, { ...dated, report });
    if (this.keepsGood && !report.problem) this.good.set(report.file, report);
    return report !== known;
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

  /** Forgets all files but these. Returns whether there were others. */
  retain(files: ReadonlySet<string>): boolean {
    const others = [...this.latest.keys()].filter((file) => !files.has(file));
    for (const file of others) {
      this.latest.delete(file);
      this.good.delete(file);
    }
    return others.length > 0;
  }

  /** A broken file shows its problem and, where there is one, the Steps of its last good version. */
  reports(): readonly DatedReport[] {
    return [...this.latest.values()].map((dated) => {
      const good = dated.report.problem && this.good.get(dated.report.file);
      return good ? { ...dated, report: { ...dated.report, steps: good.steps } } : dated;
    });
  }
}
