import type { StepRecord } from '@treadle/api';

/** Something wrong in one Step's config, before it is known where that Step is. */
export interface Finding {
  readonly code: string;
  /** Begins with the path inside the config when a key is at fault. */
  readonly message: string;
  readonly remedy: string;
  readonly severity?: 'error' | 'warning';
  /** False: the rest of the Step serves all the same. Default: what `severity` says. */
  readonly disables?: boolean;
}

/** A warning and the Step that it concerns. */
export interface StepWarning {
  readonly step: StepRecord;
  readonly finding: Finding;
}

/** True when a Step with this finding must not serve. */
export function isDisabling(finding: Finding): boolean {
  return finding.disables ?? finding.severity !== 'warning';
}

/** A value in a message: short, on one line. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}

/** `did you mean "…"?`, or what else to do. */
export function didYouMean(suggestion: string | undefined, otherwise: string): string {
  return suggestion === undefined ? otherwise : `did you mean "${suggestion}"?`;
}
