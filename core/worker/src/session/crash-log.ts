import { contextStorage } from 'treadle';
import { describeError } from '../running/failure.js';
import { HandlerContext } from '../running/step-context.js';

/**
 * Tells the engine, in the name of the Step, of an error that nobody caught, right before Node ends the process for it.
 * What Node does is not changed: a process in an unknown state must not go on.
 */
export function logCrashes(options: {
  /** For errors outside a handler. */
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly flush: () => void;
}): void {
  process.on('uncaughtExceptionMonitor', (error, origin) => {
    const run = HandlerContext.runOf(contextStorage().getStore());
    const message = origin === 'unhandledRejection' ? 'a promise was rejected and nobody handled it' : 'an error was thrown and nobody caught it';
    const fields = { error: describeError(error), origin };
    if (run) run.log('error', message, fields);
    else options.log(message, fields);
    options.flush();
  });
}
