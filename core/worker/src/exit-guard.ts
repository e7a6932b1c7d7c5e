import { HandlerExit } from 'treadle';

const GUARD = Symbol.for('treadle.exit-guard');

/** Shared by everything in the process that runs handlers inside the engine. */
export interface ExitGuard {
  /** Handlers that run now. */
  running: number;
}

/**
 * Makes `process.exit` and `process.abort` throw `HandlerExit` while a handler runs, once per process; otherwise they do
 * what they always did. A program that must be able to end meanwhile keeps the original function.
 */
export function guardExit(): ExitGuard {
  const shared = globalThis as { [GUARD]?: ExitGuard };
  return (shared[GUARD] ??= install({ running: 0 }));
}

function install(guard: ExitGuard): ExitGuard {
  const { exit, abort } = process;
  process.exit = (code?: number | string | null): never => {
    if (guard.running > 0) throw new HandlerExit('process.exit', typeof code === 'number' ? code : undefined);
    return exit.call(process, code);
  };
  process.abort = (): never => {
    if (guard.running > 0) throw new HandlerExit('process.abort');
    return abort.call(process);
  };
  return guard;
}
