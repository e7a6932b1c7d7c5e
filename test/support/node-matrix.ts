import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../architecture/workspace.js';
import { cleanEnvironment } from './engine-process.js';

/**
 * Path of a Node.js of exactly this version, installed from npm on first use; undefined where that is not possible
 * (no network, no binary for this platform).
 */
export function nodeOfVersion(version: string): string | undefined {
  const folder = join(ROOT, 'test/node-matrix', version);
  const program = join(folder, 'node_modules/node/bin/node');
  if (!existsSync(program)) {
    spawnSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'], { cwd: folder, env: cleanEnvironment(), timeout: 120_000 });
  }
  const said = existsSync(program) ? spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.trim() : '';
  return said === `v${version}` ? program : undefined;
}
