import type { SourceLocation, TreadleError } from '@treadle/api';
import type { Outcome } from '@treadle/config';

/** Collects what is wrong over all stages; nothing is thrown. */
export class Issues {
  private readonly all: TreadleError[] = [];

  add(...issues: readonly TreadleError[]): void {
    this.all.push(...issues);
  }

  /** The value of an outcome, its issues collected. */
  take<T>(outcome: Outcome<T>): T {
    this.add(...outcome.issues);
    return outcome.value;
  }

  get failed(): boolean {
    return this.all.some((issue) => issue.severity === 'error');
  }

  /** In the order of the file; what has no place comes last. */
  of(severity: 'error' | 'warning'): readonly TreadleError[] {
    return this.all.filter((issue) => issue.severity === severity).sort((a, b) => compare(a.at, b.at));
  }
}

function compare(a: SourceLocation | undefined, b: SourceLocation | undefined): number {
  if (!a || !b) return Number(!a) - Number(!b);
  if (a.file !== b.file) return 0;
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}
