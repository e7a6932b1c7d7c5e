import { EXIT, formatError, TreadleError, treadleError } from '@treadle/api';
import { paint, paintError } from './terminal/paint.js';

/** Several errors and warnings that end a command together, e.g. everything that is wrong with a configuration. */
export class Failures extends Error {
  readonly errors: readonly TreadleError[];
  readonly warnings: readonly TreadleError[];
  constructor(errors: readonly TreadleError[], warnings: readonly TreadleError[] = []) {
    super(errors.map((error) => error.message).join('\n'));
    this.name = 'Failures';
    this.errors = errors;
    this.warnings = warnings;
  }
}

/** An error as `--json` prints it. */
export interface ErrorJson {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly at?: { readonly file: string; readonly line?: number; readonly column?: number };
}

/**
 * Prints whatever ended a command, in the one form of errors, or as one JSON document on stdout; returns the exit
 * code. Stack traces show only with `DEBUG` set.
 */
export async function reportFailure(error: unknown, json: boolean): Promise<number> {
  if (isOrderlyExit(error)) return error.oclif.exit;
  const { exitCode, ...failures } = await understand(error);
  if (json) printJson({ errors: failures.errors.map(errorJson), warnings: failures.warnings.map(errorJson), exitCode });
  else printErrors([...failures.errors, ...failures.warnings]);
  if (process.env['DEBUG'] && error instanceof Error) process.stderr.write(`${error.stack ?? ''}\n`);
  return exitCode;
}

/** Writes errors and warnings to stderr, one below the other. */
export function printErrors(errors: readonly TreadleError[]): void {
  for (const error of errors) process.stderr.write(`${paintError(formatError(error), process.stderr)}\n`);
  const [first] = errors;
  if (first && process.stderr.isTTY) process.stderr.write(`${paint('dim', `"treadle docs ${first.code}" explains it`, process.stderr)}\n`);
}

/** The plain form of an error for `--json`. */
export function errorJson(error: TreadleError): ErrorJson {
  const { severity, code, message, hint, at } = error;
  return { severity, code, message, ...(hint ? { hint } : {}), ...(at ? { at: { ...at } } : {}) };
}

/** Writes the one JSON document of a command to stdout. */
export function printJson(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}

interface Understood {
  readonly errors: readonly TreadleError[];
  readonly warnings: readonly TreadleError[];
  readonly exitCode: number;
}

async function understand(error: unknown): Promise<Understood> {
  if (error instanceof Failures) {
    return { errors: error.errors, warnings: error.warnings, exitCode: error.errors[0]?.exitCode ?? EXIT.internal };
  }
  if (error instanceof TreadleError) return { errors: [error], warnings: [], exitCode: error.exitCode };
  const { asUsageError, commandExitCode } = await import('./usage-error.js');
  const known = asUsageError(error) ?? unexpected(error);
  // A plugin's command that fails with `this.error(text, { exit })` keeps its exit code.
  const own = known.code === 'COMMAND_FAILED' ? commandExitCode(error) : undefined;
  return { errors: [known], warnings: [], exitCode: own ?? known.exitCode };
}

function unexpected(error: unknown): TreadleError {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return treadleError('INTERNAL', { reason: reason.split('\n', 1)[0] ?? '' }, { cause: error });
}

/** A command ended itself with `this.exit(code)`: nothing to print. */
function isOrderlyExit(error: unknown): error is { oclif: { exit: number } } {
  return error instanceof Error && (error as { code?: unknown }).code === 'EEXIT';
}
