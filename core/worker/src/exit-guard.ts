import { contextStorage, HandlerExit } from 'treadle';

const GUARDED = Symbol.for('treadle.exit-guard');

/**
 * Makes `process.exit` and `process.abort` throw `HandlerExit` while a handler runs, once per process; outside handlers they
 * do what they always did.
 */
export function guardExit(): void {
  const shared = globalThis as unknown as Record<symbol, boolean | undefined>;
  if (shared[GUARDED]) return;
  shared[GUARDED] = true;
  const storage = contextStorage();
  const { exit, abort } = process;
  process.exit = (code?: number | string | null): never => {
    if (storage.getStore()) throw new HandlerExit('process.exit', typeof code === 'number' ? code : undefined);
    return exit.call(process, code);
  };
  process.abort = (): never => {
    if (storage.getStore()) throw new HandlerExit('process.abort');
    return abort.call(process);
  };
}
