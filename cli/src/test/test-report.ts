/** Numbers of tests by how they ended. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What one runner did. */
export interface TestRun {
  readonly runner: 'node' | 'python';
  readonly files: readonly string[];
  readonly exitCode: number;
  /** Absent when the runner said nothing that could be counted, e.g. because it could not start. */
  readonly tests?: TestCounts | undefined;
}

/** What `treadle test --json` prints. */
export interface TestReport {
  readonly exitCode: number;
  readonly runs: readonly TestRun[];
}

/** The outcome of all runners: the worst exit code. A runner that had files and ran no test has failed. */
export function testReport(runs: readonly TestRun[]): TestReport {
  const judged = runs.map((run) => (ranNothing(run) && run.exitCode === 0 ? { ...run, exitCode: 1 } : run));
  return { exitCode: Math.max(0, ...judged.map(({ exitCode }) => exitCode)), runs: judged };
}

/** Whether a runner counted its tests and found none. */
export function ranNothing({ tests }: TestRun): boolean {
  return tests !== undefined && tests.passed + tests.failed + tests.skipped === 0;
}

/** Counts of Node's runner, from the end of its TAP output. */
export function countTap(tap: string): TestCounts | undefined {
  const count = (name: string): number | undefined => {
    const found = [...tap.matchAll(new RegExp(`^# ${name} (\\d+)$`, 'gm'))].at(-1)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const passed = count('pass');
  if (passed === undefined) return undefined;
  return { passed, failed: (count('fail') ?? 0) + (count('cancelled') ?? 0), skipped: (count('skipped') ?? 0) + (count('todo') ?? 0) };
}

/** Counts of Python's unittest, from the end of what it printed. */
export function countUnittest(output: string): TestCounts | undefined {
  const ran = /^Ran (\d+) tests? in /m.exec(output)?.[1];
  if (ran === undefined) return undefined;
  const count = (name: string): number => Number(new RegExp(`^(?:FAILED|OK) \\(.*\\b${name}=(\\d+)`, 'm').exec(output)?.[1] ?? 0);
  const failed = count('failures') + count('errors') + count('unexpected successes');
  const skipped = count('skipped') + count('expected failures');
  return { passed: Math.max(0, Number(ran) - failed - skipped), failed, skipped };
}
