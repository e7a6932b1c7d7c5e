import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import type { ChildStart, StepFileReport } from '@treadle/protocol';
import { mark } from './session/marks.js';
import { catchStrayErrors } from './session/stray-errors.js';
import { StepRunner, type StepRunnerOptions } from './step-runner.js';

const NOBODY: StepRunnerOptions['host'] = { log: () => undefined };

/**
 * Loads files one after the other, each marked before and after, so that the engine knows which one the process did not survive.
 * What is wrong with a file that does no harm is found again by those who serve it.
 */
export async function tryFiles(
  { files, settleMs }: NonNullable<ChildStart['trial']>, options: Omit<StepRunnerOptions, 'host'>, end: () => void,
): Promise<void> {
  const runner = new StepRunner({ ...options, host: NOBODY, onReports: (reports) => tell(reports) });
  catchStrayErrors(runner, end);
  for (const [index, file] of files.entries()) {
    mark({ loading: file.file });
    const reports = await runner.load(files.slice(0, index + 1));
    // One that waits without an end would hold up those who serve as well; what else is wrong they find without harm.
    tell(reports.filter(({ file: name, problem }) => name === file.file && problem?.kind === 'timeout'));
    await turn();
    mark({ loaded: file.file });
  }
  await wait(settleMs);
  mark({ done: true });
}

/** A file that was fine at first has left something behind. */
function tell(reports: readonly StepFileReport[]): void {
  for (const { file, problem } of reports) if (problem) mark({ faulty: file, problem });
}
