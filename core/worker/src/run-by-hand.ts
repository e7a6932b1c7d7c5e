import { resolve } from 'node:path';
import type { StepFileReport } from '@treadle/protocol';
import { rootOfBuild } from '@treadle/protocol/build-lock';
import { helpCollector } from './collector.js';
import { EngineAddressError, toSocketUrl } from './engine-address.js';
import { ENGINE_SECRETS } from './engine-secrets.js';
import { envMode, withEnvFiles } from './env-files.js';
import { StdioCapture } from './session/stdio-capture.js';
import { EnvironmentError, startWorker, type StartWorkerOptions, type WorkerHandle } from './start-worker.js';

/** How the environment names the engine, for `--help`. */
export const ENVIRONMENT_HELP = `  ENGINE_URL         the engine: ws, wss, http or https (default ws://127.0.0.1:3110)
  ENGINE_TOKEN       its token
  TREADLE_DATA_DIR   where engine.json and worker.token are when the above are not set (default ./data)
`;

/** Exit code when an engine refused this process for good. */
const REFUSED = 69;
/** In place of a reason: an error in the code that runs handlers, which was printed. */
const BROKEN = Symbol('broken');
/** Exit code when ENGINE_URL can be no address: trying again would not mend it. */
const MISUSED = 64;
/** Exit code when the environment lacks what the application needs. */
const UNCONFIGURED = 78;

/**
 * Serves Steps to an engine elsewhere until SIGTERM or SIGINT, and returns the exit code. The engine is the one that the
 * environment names. `say` takes what happens, for people.
 */
export async function runByHand(options: Pick<StartWorkerOptions, 'root' | 'dist'>, say: (message: string) => void): Promise<number> {
  const folder = options.dist === undefined ? resolve(options.root ?? '.') : rootOfBuild(resolve(options.dist));
  Object.assign(process.env, withEnvFiles(process.env, folder, envMode(process.env, 'production')));
  const { ENGINE_URL: url, ENGINE_TOKEN: token, TREADLE_DATA_DIR: dataDir } = process.env;
  const fault = url ? faultOf(url) : undefined;
  if (fault !== undefined) {
    say(fault);
    return MISUSED;
  }
  helpCollector();
  // Handlers get the whole environment but this.
  for (const name of ENGINE_SECRETS) delete process.env[name];
  const worker = await begin({ ...options, cwd: process.cwd(), url, token, dataDir, onStatus: say }, say);
  if (!worker) return UNCONFIGURED;
  for (const report of worker.reports) if (report.problem) say(describe(report));
  // The terminal or the container's log is the only other place where somebody may look.
  new StdioCapture(true).start();
  const broken = new Promise<typeof BROKEN>((resolve) => worker.catchStrayErrors(() => resolve(BROKEN)));
  process.on('exit', () => worker.flush());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void worker.stop());
  const reason = await Promise.race([worker.ended, broken]);
  if (reason === BROKEN) return 1;
  if (reason === undefined) return 0;
  say(reason);
  return REFUSED;
}

/** Undefined when the environment lacks something, which was said. */
async function begin(options: StartWorkerOptions, say: (message: string) => void): Promise<WorkerHandle | undefined> {
  try {
    return await startWorker(options);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    say(error.message);
    return undefined;
  }
}

function faultOf(url: string): string | undefined {
  try {
    toSocketUrl(url);
    return undefined;
  } catch (error) {
    if (error instanceof EngineAddressError) return error.message;
    throw error;
  }
}

function describe({ file, problem }: StepFileReport): string {
  return `${[problem?.at ?? file, problem?.line, problem?.column].filter((part) => part !== undefined).join(':')}  ${problem?.message ?? ''}`;
}
