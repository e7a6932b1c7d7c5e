import { writeSync } from 'node:fs';
import { inspect } from 'node:util';
import { guardExit } from '../exit-guard.js';
import type { StepRunner } from '../step-runner.js';
import { mark } from './marks.js';

/**
 * From now on an error that nobody caught ends what made it, not the process: the handler, or the file that was just loaded. A
 * handler that ends the process fails, and the process goes on.
 * `end` ends the process, as Node would, when the error is one of the code that runs handlers.
 */
export function catchStrayErrors(runner: StepRunner, end: () => void): void {
  guardExit(() => runner.current()?.step !== undefined);
  process.on('unhandledRejection', (reason) => void runner.takeStray(reason, 'unhandledRejection'));
  process.on('uncaughtException', (error) => {
    if (runner.takeStray(error, 'uncaughtException')) return;
    writeSync(2, `${inspect(error)}\n`);
    end();
  });
  process.on('exit', () => {
    const culprit = runner.current();
    if (culprit) mark({ ends: { ...culprit, by: 'process.exit' } });
  });
}
