import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../architecture/workspace.js';
import { cleanEnvironment } from './engine-process.js';

/** Packs `acme-treadle-line` and installs the tarball into an application, as npm would from a registry. */
export function installLinePlugin(cwd: string): void {
  const npm = (args: readonly string[]): string => execFileSync('npm', [...args, '--no-audit', '--no-fund', '--silent'], { cwd, encoding: 'utf8', env: cleanEnvironment() });
  const [{ filename }] = JSON.parse(npm(['pack', join(ROOT, 'test/fixtures/packages/acme-treadle-line'), '--json'])) as [{ filename: string }];
  npm(['install', `./${filename}`, '--offline', '--legacy-peer-deps']);
  // What the registry would bring: the peers of the plugin and what the application itself uses.
  mkdirSync(join(cwd, 'node_modules'), { recursive: true });
  for (const name of ['@treadle', '@oclif', 'treadle']) symlinkSync(join(ROOT, 'node_modules', name), join(cwd, 'node_modules', name), 'dir');
}
