import type { StepFileProblem } from '@treadle/protocol';
import type { SetupContext } from 'treadle';
import { article, type Exports, isObject } from '../loading/step-exports.js';

/** What a file of a setup declares. */
export interface SetupDefinition {
  readonly open: (context: SetupContext) => unknown;
  readonly close: ((value: unknown) => unknown) | undefined;
  /** Milliseconds. */
  readonly openTimeoutMs: number;
  /** Milliseconds. */
  readonly closeTimeoutMs: number;
}

/** A file of a setup; without a definition it could not be loaded, or may not be. */
export interface DeclaredSetup {
  /** Relative to the root, with `/`. */
  readonly file: string;
  readonly definition: SetupDefinition | undefined;
}

const OPEN_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 5_000;
const FORM = 'write "export default setup({ open: async ({ env }) => …, close: async (value) => … })"';
const KEYS = ['open', 'close', 'openTimeoutMs', 'closeTimeoutMs'];

/** Finds what a file opens: a default export, or `open` and `close` by name. */
export function findSetup(exports: Exports): SetupDefinition | StepFileProblem {
  const given = isObject(exports['default']) ? exports['default'] : exports;
  const { open, close, openTimeoutMs = OPEN_TIMEOUT_MS, closeTimeoutMs = CLOSE_TIMEOUT_MS } = given;
  if (typeof open !== 'function') return faulty(open === undefined ? 'the file exports no "open"' : `"open" must be a function, not ${article(open)}`);
  if (close !== undefined && typeof close !== 'function') return faulty(`"close" must be a function, not ${article(close)}`);
  const unknown = given === exports ? undefined : Object.keys(given).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) return faulty(`a setup has no key "${unknown}"; there are ${KEYS.join(', ')}`);
  for (const [key, value] of Object.entries({ openTimeoutMs, closeTimeoutMs })) {
    if (typeof value !== 'number' || !(value > 0)) return faulty(`"${key}" must be milliseconds above 0`);
  }
  return {
    open: (open as SetupDefinition['open']).bind(given), close: (close as SetupDefinition['close'])?.bind(given),
    openTimeoutMs: openTimeoutMs as number, closeTimeoutMs: closeTimeoutMs as number,
  };
}

const faulty = (message: string): StepFileProblem => ({ kind: 'missing_handler', message: `${message}; ${FORM}` });
