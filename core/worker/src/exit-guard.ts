import { HandlerExit } from 'treadle';

const GUARD = Symbol.for('treadle.exit-guard');

/** Shared by everything in the process that runs handlers. */
export interface ExitGuard {
  /** Handlers that run now, where it is not known whose code calls. */
  running: number;
  /** Whether the code that calls is a handler's, where that is known. */
  isHandler: () => boolean;
  /** What `process.exit` did before. */
  readonly exit: typeof process.exit;
}

/**
 * Makes `process.exit` and `process.abort` throw `HandlerExit` when a handler calls them, once per process: the handler fails, and
 * all that runs beside it goes on. Otherwise they do what they always did. `isHandler` tells whose code calls; without it nobody
 * can call them while `running` is not 0, and a program that must be able to end meanwhile calls `exitProcess`.
 */
export function guardExit(isHandler?: () => boolean): ExitGuard {
  const shared = globalThis as { [GUARD]?: ExitGuard };
  const guard = (shared[GUARD] ??= install());
  if (isHandler) guard.isHandler = isHandler;
  return guard;
}

/** Ends this process, whoever calls: its programs do, for handlers may have left timers and sockets behind. */
export function exitProcess(code: number): never {
  const { [GUARD]: guard } = globalThis as { [GUARD]?: ExitGuard };
  return (guard?.exit ?? process.exit).call(process, code);
}

function install(): ExitGuard {
  const { exit, abort } = process;
  const guard: ExitGuard = { running: 0, isHandler: () => false, exit };
  const refuse = (call: string, code?: number): void => {
    if (guard.running > 0 || guard.isHandler()) throw new HandlerExit(call, code);
  };
  process.exit = (code?: number | string | null): never => {
    refuse('process.exit', typeof code === 'number' ? code : undefined);
    return exit.call(process, code);
  };
  process.abort = (): never => {
    refuse('process.abort');
    return abort.call(process);
  };
  return guard;
}
