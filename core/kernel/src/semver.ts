import { createRequire } from 'node:module';
import type Semver from 'semver';

/** Loaded by the first plugin: most engines have none, and fifty files are worth some milliseconds at start. */
const load = (): typeof Semver => createRequire(import.meta.url)('semver') as typeof Semver;

/** True for a range of versions as npm writes them. */
export function validRange(range: unknown): range is string {
  return typeof range === 'string' && range !== '' && load().validRange(range) !== null;
}

/** True when the version lies in the range; a pre-release counts as what it precedes. */
export function satisfies(version: string, range: string): boolean {
  return load().satisfies(version, range, { includePrerelease: true });
}

/**
 * The release line before a version, as a range: `0.3.1` → `^0.2`, `2.1.0` → `^1`. When the range asks for more than
 * the engine has, the plugin's previous line is the likeliest to fit; undefined when the engine is too new, or there is none.
 */
export function previousLine(pluginVersion: string, needs: string, has: string): string | undefined {
  const semver = load();
  const version = semver.parse(pluginVersion);
  if (!version || !semver.ltr(has, needs)) return undefined;
  if (version.major > 0) return `^${version.major - 1}`;
  return version.minor > 0 ? `^0.${version.minor - 1}` : undefined;
}
