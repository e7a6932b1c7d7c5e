import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LoadingFile } from '../loading/loading-file.js';
import { placeOf } from '../loading/import-problem.js';
import { describeError } from './failure.js';
import { Run } from './run.js';

/** How an error came to be nobody's. */
export type StrayOrigin = 'uncaughtException' | 'unhandledRejection';

/** Whom an error that nobody caught is charged to. */
export interface StrayError {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The handler that made it, whether or not it has answered. */
  readonly run?: Run | undefined;
  /** Absolute path of the file whose import left it behind, or whose code made it. */
  readonly file?: string | undefined;
  /** It comes from the code that runs handlers, whose state is not known any more. */
  readonly isOurs: boolean;
}

const MESSAGES: Readonly<Record<StrayOrigin, string>> = {
  uncaughtException: 'an error was thrown and nobody caught it',
  unhandledRejection: 'a promise was rejected and nobody handled it',
};

/** The folder of this code. In a bundle everything is in it that is not of the application. */
const OWN = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Finds who made an error, from the context that it was made in or else from its stack. To be called in the listener for
 * such errors. `root` is the application's folder.
 */
export function traceStrayError(error: unknown, origin: StrayOrigin, root: string): StrayError {
  const run = Run.current();
  const stack = error instanceof Error && typeof error.stack === 'string' ? error.stack : undefined;
  const file = run ? undefined : LoadingFile.current() ?? placeOf(stack, root)?.file;
  const isOurs = !run && file === undefined && origin === 'uncaughtException' && beginsIn(OWN, stack);
  return { message: MESSAGES[origin], fields: { error: describeError(error), origin }, run, file, isOurs };
}

/** Is the first place of a stack that is not Node's own in this folder? */
function beginsIn(folder: string, stack: string | undefined): boolean {
  const frames = (stack ?? '').split('\n').filter((line) => /^\s+at /.test(line) && !line.includes('node:'));
  return frames[0]?.includes(folder) ?? false;
}
