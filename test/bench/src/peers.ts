import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const BENCH_FOLDER = dirname(dirname(fileURLToPath(import.meta.url)));

/** Installs the peers when they are missing, and names them. @throws Error when npm fails */
export function installPeers(): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(BENCH_FOLDER, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
  const names = Object.keys(manifest.dependencies);
  if (names.every((name) => existsSync(join(BENCH_FOLDER, 'node_modules', name)))) return names;
  console.error('[bench] installing the peers (npm install) ...');
  // A peer may depend on a package for a later Node.js that it loads only on demand (NestJS: file-type).
  const args = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error', '--engine-strict=false'];
  const { status } = spawnSync('npm', args, { cwd: BENCH_FOLDER, stdio: 'inherit' });
  if (status !== 0) throw new Error(`npm install in ${BENCH_FOLDER} ended with ${status}`);
  return names;
}
