import { looksSecret, REDACTED, redactText, type StepFailure, type ValidationIssue } from '@treadle/api';

/** One thing that went wrong with a delivery, as dead letters show it. */
export interface HistoryEntry {
  /** ISO 8601 UTC: when it went wrong. */
  readonly at: string;
  /** Milliseconds that the attempt took. */
  readonly ms?: number;
  /** From 1. */
  readonly attempt: number;
  /** A failure code, e.g. `unhandled_exception` or `worker_lost`. */
  readonly code: string;
  readonly name?: string;
  readonly message: string;
  readonly stack?: string;
  readonly issues?: readonly ValidationIssue[];
}

/** Errors that are kept. */
export const MAX_ENTRIES = 10;
/** Characters of a stack that are kept. 8 KB. */
export const MAX_STACK = 8_192;
const MAX_MESSAGE = 2_000;

/** When and in which attempt something failed. */
export interface AttemptFacts {
  readonly now: number;
  readonly ms: number;
  readonly attempt: number;
}

/** Adds a failure to a history, without secrets, and drops the oldest entries; both are JSON text, empty for none. */
export function withFailure(history: string, failure: StepFailure, { now, ms, attempt }: AttemptFacts): string {
  const { errorName, stack, issues } = failure.detail;
  const entry: HistoryEntry = {
    at: new Date(now).toISOString(), ms: Math.max(0, Math.round(ms)), attempt, code: failure.code,
    ...(errorName !== undefined && { name: errorName }),
    message: safeText(failure.message, MAX_MESSAGE),
    ...(stack !== undefined && { stack: safeText(stack, MAX_STACK) }),
    ...(issues !== undefined && { issues: issues.map(safeIssue) }),
  };
  return JSON.stringify([...historyEntries(history), entry].slice(-MAX_ENTRIES));
}

/** Redacted before it is cut: half a secret has no shape. */
function safeText(text: string, most: number): string {
  return redactText(text).slice(0, most);
}

/** Its text is that of a schema's author or library, and may repeat the value. */
function safeIssue(issue: ValidationIssue): ValidationIssue {
  return { ...issue, path: redactText(issue.path), message: looksSecret(issue.path) ? REDACTED : redactText(issue.message) };
}

/** Entries of a history, oldest first. */
export function historyEntries(history: string): readonly HistoryEntry[] {
  return history === '' ? [] : JSON.parse(history) as readonly HistoryEntry[];
}
