import { inspect } from 'node:util';
import { MAX_ISSUES, type FailureCode, type ValidationIssue } from '@treadle/protocol';
import { NonRetryableError, OperationError, RetryAfter } from 'treadle';
import type { RunFailure } from './invoke.js';

/** Bounds of what is told of an error, in characters: whatever a handler throws has to fit into a message. */
const MAX_STACK = 16_384;
const MAX_MESSAGE = 16_384;
const MAX_NAME = 256;
/** Versions that hot swap puts behind file names. */
const VERSION_QUERY = /\?t=\d+/g;
/** Frames of the code that runs handlers, and of Node.js itself. */
const OWN_FRAME = /^ {4}at .*(?:[\\/](?:@treadle|core)[\\/](?:worker|engine)[\\/](?:dist|bin)[\\/]|\bnode:internal\/)/;

/** Ends an invocation with a code of the protocol in place of `unhandled_exception`. Thrown inside the worker only. */
export class RunError extends Error {
  readonly code: FailureCode;
  readonly issues: readonly ValidationIssue[] | undefined;
  constructor(code: FailureCode, message: string, issues?: readonly ValidationIssue[]) {
    super(message);
    this.name = 'RunError';
    this.code = code;
    this.issues = issues?.slice(0, MAX_ISSUES);
  }
}

/** What is told of anything that was thrown. Never throws. */
export function toFailure(thrown: unknown): RunFailure {
  if (thrown instanceof RunError) return { ok: false, code: thrown.code, message: thrown.message, issues: thrown.issues };
  const failure = { ok: false, code: 'unhandled_exception', ...describeError(thrown) } as const;
  if (thrown instanceof NonRetryableError) return { ...failure, nonRetryable: true };
  if (thrown instanceof RetryAfter) return { ...failure, retryAfterMs: thrown.delayMs };
  // Which operation refused is in the code: the engine answers some of them with a status of their own.
  if (thrown instanceof OperationError) return { ...failure, name: thrown.code };
  return failure;
}

/** Message, class name and stack of anything that was thrown. */
export function describeError(thrown: unknown): { message: string; name?: string; stack?: string } {
  try {
    if (!(thrown instanceof Error)) return { message: (typeof thrown === 'string' ? thrown : inspect(thrown, { depth: 2 })).slice(0, MAX_MESSAGE) };
    const stack = typeof thrown.stack === 'string' ? cleanStack(thrown.stack) : undefined;
    const message = String(thrown.message).slice(0, MAX_MESSAGE);
    return { message, name: String(thrown.name).slice(0, MAX_NAME), ...(stack === undefined ? {} : { stack }) };
  } catch {
    return { message: 'an error that cannot be read' }; // hostile getters; the invocation must still end
  }
}

/** A stack as the application's author expects it: without frames of this package, unless there are no others. */
function cleanStack(stack: string): string {
  const lines = stack.replace(VERSION_QUERY, '').slice(0, MAX_STACK).split('\n');
  const theirs = lines.filter((line) => !OWN_FRAME.test(line));
  return (theirs.some((line) => line.startsWith('    at ')) ? theirs : lines).join('\n');
}
