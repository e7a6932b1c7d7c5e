import { output, run } from './commands.js';

export interface ReleasePackage {
  readonly name: string;
  readonly version: string;
  /** Absolute path of its folder. */
  readonly location: string;
}

/** What would be published: every package that is not private. */
export function publicPackages(): readonly ReleasePackage[] {
  return JSON.parse(output('npx', 'lerna', 'list', '--json', '--loglevel=error')) as ReleasePackage[];
}

/** True when the registry has exactly this version. */
export async function isPublished({ name, version }: ReleasePackage): Promise<boolean> {
  const response = await fetch(new URL(name.replace('/', '%2f'), registry()), { headers: { accept: 'application/vnd.npm.install-v1+json' } });
  if (response.status === 404) return false;
  if (!response.ok) throw new Error(`${registry()} answers ${response.status} for ${name}`);
  const { versions } = await response.json() as { versions: Record<string, unknown> };
  return version in versions;
}

/** In the order of their dependencies, under a tag that `npm install` does not take by itself. */
export async function publishNext(): Promise<void> {
  await run(`npx lerna publish from-package --yes --no-verify-access --dist-tag next --registry ${registry()} --loglevel=warn`);
}

/** From now on `npm install` takes this version. */
export function makeLatest({ name, version }: ReleasePackage): void {
  output('npm', 'dist-tag', 'add', `${name}@${version}`, 'latest');
}

export function unpublish({ name, version }: ReleasePackage): void {
  output('npm', 'unpublish', `${name}@${version}`, '--force', '--loglevel=error');
}

/** As npm is set, with a slash at its end. */
export function registry(): string {
  return output('npm', 'config', 'get', 'registry').replace(/\/?$/, '/');
}
