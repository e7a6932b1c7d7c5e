import { spawnSync } from 'node:child_process';

/**
 * What became of the new project's repository: `committed` (with a first commit), `no-identity` (made, but git does not
 * know whose commit it would be), `inside` (the folder belongs to a repository already), `no-git`, `failed`; `unwanted` when
 * none was asked for.
 */
export type RepositoryOutcome = 'committed' | 'no-identity' | 'inside' | 'no-git' | 'failed' | 'unwanted';

/** Makes a folder a git repository with everything in it as the first commit, unless it is inside one. */
export function makeRepository(folder: string, message: string): RepositoryOutcome {
  const run = (...args: string[]): boolean | undefined => git(args, folder);
  const inside = run('rev-parse', '--is-inside-work-tree');
  if (inside === undefined) return 'no-git';
  if (inside) return 'inside';
  if (!run('init', '--quiet')) return 'failed';
  if (!hasIdentity(folder)) return 'no-identity';
  // Without hooks and signatures: they may ask questions, and this commit is no work of the user's yet.
  return run('add', '--all') && run('-c', 'commit.gpgsign=false', 'commit', '--quiet', '--no-verify', '--message', message) ? 'committed' : 'failed';
}

/** Git would make up a name and an address from user and host; only written ones count. */
function hasIdentity(folder: string): boolean {
  return ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT'].every((who) => git(['-c', 'user.useConfigOnly=true', 'var', who], folder) === true);
}

/** Whether the command succeeded; undefined when there is no git. */
function git(args: readonly string[], cwd: string): boolean | undefined {
  const { error, status } = spawnSync('git', args, { cwd, stdio: 'ignore' });
  return error ? undefined : status === 0;
}
