import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface Listed {
  readonly pid: number;
  readonly parent: number;
}

async function listed(): Promise<readonly Listed[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,stat=']);
  const rows = stdout.trim().split('\n').map((line) => line.trim().split(/\s+/));
  // What is dead and only waits for its parent to look is gone.
  return rows.filter(([, , state = '']) => !state.startsWith('Z')).map(([pid, parent]) => ({ pid: Number(pid), parent: Number(parent) }));
}

/** Processes that a process has started, directly or not. */
export async function descendantsOf(root: number): Promise<readonly number[]> {
  const all = await listed();
  const found = new Set([root]);
  // A set may grow while it is walked.
  for (const each of found) for (const { pid, parent } of all) if (parent === each) found.add(pid);
  found.delete(root);
  return [...found];
}

/** Those of some processes that are still there. */
export async function stillThere(pids: readonly number[]): Promise<readonly number[]> {
  const all = new Set((await listed()).map(({ pid }) => pid));
  return pids.filter((pid) => all.has(pid));
}
