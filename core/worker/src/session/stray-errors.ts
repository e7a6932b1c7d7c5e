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
    sayLast(inspect(error));
    end();
  });
  process.on('exit', () => {
    const culprit = runner.current();
    if (culprit) mark({ ends: { ...culprit, by: 'process.exit' } });
  });
}

/** Writes a line to standard error at once, where a stream might not get to it before the process ends. Whether anybody reads it changes nothing. */
export function sayLast(line: string): void {
  try {
    writeSync(2, `${line}\n`);
  } catch {
    // An engine that was killed has taken the other end along, or it is behind and the pipe is full.
  }
}
