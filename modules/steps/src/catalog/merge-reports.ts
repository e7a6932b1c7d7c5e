import type { StepFileReport } from '@treadle/api';
import { declaredName } from '../diagnostics/declaration-check.js';
import type { DatedReport } from './report-source.js';

/** A report, and which build of which application it belongs to. */
export interface CatalogReport extends StepFileReport {
  readonly application: string;
  readonly build: string;
  /** There is a newer build of the application. */
  readonly superseded: boolean;
}

/** A report of a source, with its place among the builds of its application: 0 is the newest. */
export interface RankedReport extends DatedReport, Pick<CatalogReport, 'application' | 'build'> {
  readonly rank: number;
}

/**
 * All reports, without what counts no more: of a Step that several sources of a build bring in the same file all versions
 * but the latest (what only a lock file tells comes after what its own process says), and of one that several builds of an
 * application bring all but the newest build's.
 */
export function mergeReports(reports: readonly RankedReport[]): readonly CatalogReport[] {
  const seen = new Seen();
  const newestFirst = [...reports].sort((a, b) => a.rank - b.rank || hearsay(a) - hearsay(b) || b.order - a.order);
  return newestFirst.map((ranked) => {
    const { report, application, build, rank } = ranked;
    return { ...report, steps: report.steps.filter((step) => seen.isFirst(declaredName(step), ranked)), application, build, superseded: rank > 0 };
  });
}

const hearsay = ({ report }: RankedReport): number => (report.elsewhere ? 1 : 0);

class Seen {
  private readonly builds = new Map<string, string>();
  private readonly files = new Map<string, number>();

  isFirst(name: string, { report, application, build, order }: RankedReport): boolean {
    if (name === '') return true; // for the diagnostics to see
    const step = JSON.stringify([application, name]);
    if ((this.builds.get(step) ?? build) !== build) return false;
    this.builds.set(step, build);
    const place = JSON.stringify([application, name, report.file]);
    // Twice in one report is a fault of that file; in two files one of the application.
    if ((this.files.get(place) ?? order) !== order) return false;
    this.files.set(place, order);
    return true;
  }
}
