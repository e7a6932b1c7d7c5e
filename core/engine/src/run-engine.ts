import type { OutputStream } from './engine-surroundings.js';
import { asTreadleError, printError } from './error-output.js';
import { EngineRun } from './run/engine-run.js';
import { listenToSignals } from './run/engine-signals.js';
import type { RunOptions } from './run/run-options.js';
import { StopRequest } from './run/stop-request.js';

export type { RunOptions } from './run/run-options.js';

/**
 * Runs an engine until a signal, a module or an error ends it, and returns the exit code of sysexits(3)
 * that fits. Listens to the process's signals meanwhile. Never rejects and never ends the process: after a second
 * signal (128 + n) the caller should at once: child processes end with this one.
 */
export async function runEngine(options: RunOptions): Promise<number> {
  const stop = new StopRequest();
  let run: EngineRun;
  try {
    run = new EngineRun(options, stop);
  } catch (error) {
    return refused(error, options);
  }
  const monotonic = (): number => performance.now();
  const deafen = listenToSignals(process, { stop, reload: () => run.reload(), monotonic });
  const forget = watchTerminal(options.stdout, stop);
  const onAbort = (): void => stop.ask({ exitCode: 0, reason: String(options.signal?.reason) });
  if (options.signal?.aborted) onAbort();
  options.signal?.addEventListener('abort', onAbort, { once: true });
  const ended = run.toEnd();
  try {
    const exitCode = await Promise.race([ended, stop.hurried]);
    return stop.exitAtOnce ?? exitCode ?? 0;
  } finally {
    if (stop.cause) options.onStopped?.(stop.cause);
    run.letGo();
    deafen();
    forget();
    options.signal?.removeEventListener('abort', onAbort);
  }
}

/** A terminal that is closed sends SIGHUP as well, which means reload; only the failing output tells the two apart. */
function watchTerminal(stdout: OutputStream, stop: StopRequest): () => void {
  const failed = (error: NodeJS.ErrnoException): void => {
    if (error.code === 'EIO') stop.ask({ exitCode: 0, signal: 'SIGHUP' });
  };
  stdout.on?.('error', failed);
  return () => void stdout.off?.('error', failed);
}

function refused(error: unknown, options: RunOptions): number {
  const known = asTreadleError(error, options.argv0 ?? 'treadle-engine');
  printError(known, options.stderr);
  return known.exitCode;
}
