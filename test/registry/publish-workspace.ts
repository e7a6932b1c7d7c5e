import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ROOT } from '../architecture/workspace.js';
import { tempFolder } from '../support/temp-folder.js';
import type { LocalRegistry } from './local-registry.js';

const LIMIT_MS = 300_000;

/** Publishes every public package of this checkout, as it is built, without touching the checkout. */
export async function publishWorkspace(registry: LocalRegistry): Promise<void> {
  const env = registry.environment(tempFolder(), { publisher: true });
  await promisify(execFile)('npm', ['publish', '--workspaces', '--ignore-scripts', '--loglevel=error'], {
    cwd: ROOT, env, timeout: LIMIT_MS, maxBuffer: 16 * 1024 * 1024,
  });
}
