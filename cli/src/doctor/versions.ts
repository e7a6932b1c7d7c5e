import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { upwards } from '../application/application.js';
import { type DoctorFinding, ok, warned } from './finding.js';

/** Packages that belong together. */
const TOGETHER = ['treadle', '@treadle/cli', '@treadle/engine', '@treadle/api'] as const;

interface Installed {
  readonly name: string;
  readonly version: string;
}

/** Whether the packages of the application are of one version. `folder` is absolute; `own` is the version of this tool. */
export function checkVersions(folder: string, own: string): DoctorFinding {
  const installed = TOGETHER.map((name) => installedIn(folder, name)).filter((found) => found !== undefined);
  const all = [{ name: 'this command', version: own }, ...installed];
  const isOne = new Set(all.map(({ version }) => version)).size === 1;
  const text = all.map(({ name, version }) => `${name} ${version}`).join(', ');
  if (installed.length === 0) return ok('versions', `${text}; no package of Treadle is installed in the application`);
  return isOne ? ok('versions', `${own}: ${installed.map(({ name }) => name).join(', ')}`)
    : warned('versions', text, `install one version of all of them: npm install treadle@${own} @treadle/cli@${own} @treadle/engine@${own}`);
}

function installedIn(folder: string, name: string): Installed | undefined {
  for (const candidate of upwards(folder)) {
    const manifest = join(candidate, 'node_modules', name, 'package.json');
    if (!existsSync(manifest)) continue;
    const { version } = JSON.parse(readFileSync(realpathSync(manifest), 'utf8')) as { version?: unknown };
    return { name, version: String(version) };
  }
  return undefined;
}
