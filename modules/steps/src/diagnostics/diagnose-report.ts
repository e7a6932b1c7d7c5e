import type { StepFileReport } from '@treadle/api';

/** A report; the further members are there when several applications or builds meet in one engine. */
export interface DiagnoseReport extends StepFileReport {
  readonly application?: string | undefined;
  /** There is a newer build: what collides with it gives way without a word. */
  readonly superseded?: boolean | undefined;
}
