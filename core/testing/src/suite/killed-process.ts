import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import type { HarnessOptions } from '../adapter-harness.js';

/** What a process that is to be killed is told, as JSON in its first argument. */
export interface KillOptions extends HarnessOptions {
  /** Which of several processes on the one store it is, from 1. */
  readonly round: number;
}

/**
 * Starts a process that reports a line for each thing that is acknowledged; kills it (SIGKILL) in the middle of its work
 * once `least` of its reports have come. Gives the reports that had come whole by then.
 * @param child URL of what to run
 * @param counts which reports count; default: all
 * @throws an `Error` when the process ends by itself
 */
export async function killedAfter(
  least: number, child: URL, options: KillOptions, counts: (report: string) => boolean = () => true,
): Promise<readonly string[]> {
  const { clock: _clock, ...plain } = options;
  const started = fork(child, [JSON.stringify(plain)], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let output = '';
  let problems = '';
  const reports = (): readonly string[] => output.split('\n').slice(0, -1);
  started.stderr?.on('data', (chunk: Buffer) => { problems += chunk.toString(); });
  started.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (reports().filter(counts).length >= least) started.kill('SIGKILL');
  });
  const [, signal] = await once(started, 'close') as [number | null, string | null];
  if (signal !== 'SIGKILL') throw new Error(`the process of ${child.pathname} ended by itself: ${problems}`);
  return reports();
}

/** What this process was told by `killedAfter`. */
export function killOptions(): KillOptions {
  return JSON.parse(process.argv[2] ?? '{}') as KillOptions;
}

/** Reports a line to whoever called `killedAfter`: it is out when this returns, whatever comes next. */
export function report(line: string): void {
  let rest = Buffer.from(`${line}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      // The pipe is full: whoever reads it is behind. Others may have made it one that does not wait.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}
