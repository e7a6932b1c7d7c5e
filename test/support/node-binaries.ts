import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../architecture/workspace.js';
import { cleanEnvironment } from './engine-process.js';

const CACHE = join(ROOT, 'node_modules/.cache/treadle/node');
const PROGRAM = 'node_modules/node/bin/node';
const INSTALL_LIMIT_MS = 180_000;

/** The Node.js versions that tests run on; pinned, so that a run does not depend on its day. */
export const NODE_VERSIONS = { 18: '18.20.8', 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' } as const;
/** The oldest Node.js that runs built Steps. */
export const OLDEST_STEP_NODE = '18.0.0';

/**
 * Absolute path of a Node.js of exactly this version, e.g. '22.23.3'. The first use installs the npm package `node` into
 * `node_modules/.cache`, later ones find it there. Undefined where that is not possible: no network, or no binary for this
 * platform.
 */
export function nodeOfVersion(version: string): string | undefined {
  const folder = join(CACHE, version);
  const program = join(folder, PROGRAM);
  if (!runs(program, version)) install(version, folder);
  return runs(program, version) ? program : undefined;
}

/** Installed beside its place and moved there, so that two runs at a time do not see each other's half. */
function install(version: string, folder: string): void {
  mkdirSync(dirname(folder), { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  try {
    writeFileSync(join(fresh, 'package.json'), `${JSON.stringify({ name: 'node-of-tests', private: true, dependencies: { node: version } })}\n`);
    spawnSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'], { cwd: fresh, env: cleanEnvironment(), timeout: INSTALL_LIMIT_MS });
    if (!runs(join(fresh, PROGRAM), version)) return;
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
  } catch (error) {
    // Another run was faster: its folder is as good.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function runs(program: string, version: string): boolean {
  return existsSync(program) && spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.trim() === `v${version}`;
}
