import { ERRORS, type ErrorCode, type ErrorParams } from './error-codes.js';
import type { InstanceId } from './instance.js';
import type { SourceLocation } from './source-location.js';

/** What an error knows beside its text. */
export interface TreadleErrorDetails {
  /** Where it is written. */
  readonly at?: SourceLocation | undefined;
  /** The module or adapter that it is about. */
  readonly instance?: InstanceId | undefined;
  readonly cause?: unknown;
  /** What went wrong while this one was handled. */
  readonly suppressed?: readonly unknown[];
}

const MARKER = Symbol.for('treadle.TreadleError');

/** The only error that crosses a package border. `instanceof` works across copies of this package. */
export class TreadleError extends Error {
  readonly code: ErrorCode;
  /** What to do about it. */
  readonly hint: string | undefined;
  readonly at: SourceLocation | undefined;
  readonly instance: InstanceId | undefined;
  /** Further errors that came while this one was handled. */
  readonly suppressed: readonly unknown[];

  constructor(code: ErrorCode, message: string, hint?: string, details: TreadleErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'TreadleError';
    this.code = code;
    this.hint = hint;
    this.at = details.at;
    this.instance = details.instance;
    this.suppressed = details.suppressed ?? [];
    Object.defineProperty(this, MARKER, { value: true });
  }

  /** Exit code of the engine when this error ends it. */
  get exitCode(): number {
    return ERRORS[this.code].exit;
  }

  /** Errors and warnings print alike; warnings never stop anything. */
  get severity(): 'error' | 'warning' {
    return (ERRORS[this.code] as { severity?: 'warning' }).severity ?? 'error';
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[MARKER] === true;
  }
}

/** Makes the error of a code; the text comes from the one table in `error-codes.ts`. */
export function treadleError<C extends ErrorCode>(
  code: C, params: ErrorParams<C>, details?: TreadleErrorDetails,
): TreadleError {
  const text = (ERRORS[code].text as (p: ErrorParams<C>) => { message: string; hint?: string })(params);
  return new TreadleError(code, text.message, text.hint, details);
}

/** `file:line:column  error  CODE  text`, the hint on a line of its own. The one printed form of every error. */
export function formatError(error: TreadleError): string {
  const columns = [error.severity, error.code, error.message];
  if (error.at) columns.unshift(formatLocation(error.at));
  const hint = error.hint ? `\n    hint: ${error.hint}` : '';
  return columns.join('  ') + hint;
}

/** `file:line:column`, as much of it as is known. */
export function formatLocation(at: SourceLocation): string {
  return [at.file, at.line, at.column].filter((part) => part !== undefined).join(':');
}
