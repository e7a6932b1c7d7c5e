import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Programs that install besides npm, by their packages. */
const PACKAGES = { pnpm: 'pnpm@10.34.9', yarn: 'yarn@1.22.22' } as const;
export type Manager = 'npm' | keyof typeof PACKAGES;

/** What a production host types with each: the lock file's versions, without development packages. */
export const PRODUCTION_INSTALL: Readonly<Record<Manager, readonly [string, ...string[]]>> = {
  npm: ['npm', 'ci', '--omit=dev'],
  pnpm: ['pnpm', 'install', '--prod', '--frozen-lockfile'],
  yarn: ['yarn', 'install', '--production', '--frozen-lockfile'],
};
export const MANAGERS = Object.keys(PRODUCTION_INSTALL) as Manager[];

/** Installs them below a folder by npm, and gives the environment of somebody who has them, set to the same registry. */
export function withOtherManagers(env: NodeJS.ProcessEnv, folder: string): NodeJS.ProcessEnv {
  const tools = join(folder, 'managers');
  mkdirSync(tools, { recursive: true });
  execFileSync('npm', ['install', '--prefix', tools, '--no-save', ...Object.values(PACKAGES)], { env, cwd: tools, stdio: 'ignore' });
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  const own = (name: string): string => join(folder, name);
  return {
    ...env, PATH: `${join(tools, 'node_modules/.bin')}:${env['PATH'] ?? ''}`, npm_config_registry: registry, YARN_REGISTRY: registry,
    XDG_DATA_HOME: own('data'), XDG_CACHE_HOME: own('cache'), XDG_STATE_HOME: own('state'),
  };
}
