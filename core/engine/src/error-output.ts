import { formatError, TreadleError, treadleError } from '@treadle/api';
import type { OutputStream } from './engine-surroundings.js';

/** Writes each error in the one printed form. */
export function printErrors(errors: readonly TreadleError[], to: OutputStream): void {
  for (const error of errors) printError(error, to);
}

/** Writes an error and those that came while it was handled; never a stack trace. */
export function printError(error: TreadleError, to: OutputStream): void {
  to.write(`${formatError(error)}\n`);
  for (const further of error.suppressed) to.write(`${formatError(asTreadleError(further, 'then'))}\n`);
}

/** The error itself, or an `INTERNAL` one (exit code 70) whose text says what failed in one line. */
export function asTreadleError(error: unknown, what: string): TreadleError {
  if (error instanceof TreadleError) return error;
  return treadleError('INTERNAL', { reason: `${what} failed: ${firstLine(error)}` }, { cause: error });
}

/** `Name: message` without the stack; only the first line of the message. */
export function firstLine(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.split('\n', 1)[0] ?? '';
}
