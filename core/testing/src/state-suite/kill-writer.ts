import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { HarnessOptions } from '../adapter-harness.js';

/** What the writing process is told. */
export interface KillOptions extends Omit<HarnessOptions, 'clock'> {
  readonly round: number;
}

const CHILD = fileURLToPath(new URL('./kill-writer-child.js', import.meta.url));

/**
 * Starts a process that writes one entry after the other and reports each once it is acknowledged; kills it (SIGKILL)
 * in the middle of its work after `least` of them. Says how many it had reported by then.
 * @throws an `Error` when the process ends by itself
 */
export async function killedAfter(least: number, options: KillOptions): Promise<number> {
  const { clock: _clock, ...plain } = options as KillOptions & { clock?: unknown };
  const child = fork(CHILD, [JSON.stringify(plain)], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let output = '';
  let problems = '';
  child.stderr?.on('data', (chunk: Buffer) => { problems += chunk.toString(); });
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (reported(output) >= least) child.kill('SIGKILL');
  });
  const [, signal] = await once(child, 'close') as [number | null, string | null];
  if (signal !== 'SIGKILL') throw new Error(`the writing process ended by itself: ${problems}`);
  return reported(output);
}

/** Lines that came whole. */
function reported(output: string): number {
  return output.split('\n').length - 1;
}
