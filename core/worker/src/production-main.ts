/**
 * The Step process of a build: `node dist/index-production.js` imports it. `treadle build` puts this file, with all that it
 * imports, into the folder `worker` of the build; so the folder above is the build.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildLock, BuildLockError, LOCK_FILE_NAME, readBuildLock } from '@treadle/protocol/build-lock';
import { runChild } from './child.js';
import { exitProcess } from './exit-guard.js';
import { ENVIRONMENT_HELP, runByHand } from './run-by-hand.js';
import { SDK_VERSION } from './version.js';

const HELP = `node index-production.js   serves the Steps of this build to an engine

${ENVIRONMENT_HELP}`;

/** Exit code of a build that cannot be run. */
const FAULTY = 65;

const dist = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');

async function main(args: readonly string[]): Promise<number | undefined> {
  if (args.includes('--help') || args.includes('-h')) return print(HELP);
  const lock = requireLock();
  if (args.includes('--version')) return print(`${lock.name} ${lock.build}, made with treadle ${SDK_VERSION}\n`);
  if (!args.includes('--child')) return runByHand({ dist }, say);
  await runChild({ lock, dist });
  return undefined; // the engine decides when it ends
}

/** @throws BuildLockError naming the file */
function requireLock(): BuildLock {
  const file = join(dist, LOCK_FILE_NAME);
  try {
    const lock = readBuildLock(dist);
    if (lock) return lock;
  } catch (error) {
    throw error instanceof BuildLockError ? new BuildLockError(`${file}: ${error.message}; run "treadle build" again`) : error;
  }
  throw new BuildLockError(`${file} is missing; it belongs to the build, copy the whole folder or run "treadle build" again`);
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function say(message: string): void {
  process.stderr.write(`index-production: ${message}\n`);
}

main(process.argv.slice(2)).then((code) => { if (code !== undefined) exitProcess(code); }, (error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  exitProcess(error instanceof BuildLockError ? FAULTY : 70);
});
