import { spawnSync } from 'node:child_process';

/** Makes a folder a git repository unless it is inside one; false when it did not, e.g. because git is missing. */
export function initRepository(folder: string): boolean {
  const inside = git(['rev-parse', '--is-inside-work-tree'], folder);
  return inside === false && git(['init', '--quiet'], folder) === true;
}

/** Whether the command succeeded; undefined when there is no git. */
function git(args: readonly string[], cwd: string): boolean | undefined {
  const { error, status } = spawnSync('git', args, { cwd, stdio: 'ignore' });
  return error ? undefined : status === 0;
}
