import type { StepFileProblem } from '@treadle/protocol';
import type { Handler } from '../running/runnable-step.js';

/** Config and handler of a Step file. */
export interface StepExports {
  readonly config: Readonly<Record<string, unknown>>;
  /** Absent for a Step that is only drawn. */
  readonly handler: Handler | undefined;
}

/** What a module exports. */
export type Exports = Readonly<Record<string, unknown>>;

const FORMS = 'write "export const config" and "export const handler", or "export default step(config, handler)"';

/** Finds the Step in a file's exports: named, or a default export that holds both. */
export function findStep(exports: Exports): StepExports | StepFileProblem {
  const source = 'config' in exports || 'handler' in exports ? exports : isObject(exports['default']) ? exports['default'] : exports;
  const { config, handler } = source;
  if (!isObject(config)) {
    const message = config === undefined ? `the file exports no config; ${FORMS}` : `config must be an object, not ${article(config)}`;
    return { kind: 'missing_config', message };
  }
  if (handler === undefined && isDrawn(config)) return { config, handler };
  if (typeof handler !== 'function') {
    const message = handler === undefined ? `the file exports no handler; ${FORMS}` : `handler must be a function, not ${article(handler)}`;
    return { kind: 'missing_handler', message };
  }
  return { config, handler: handler as Handler };
}

/** Nothing starts it: it stands in diagrams for something outside. What tells of triggers in another form is not meant. */
function isDrawn({ triggers, type }: Exports): boolean {
  return type === 'noop' || (Array.isArray(triggers) ? triggers.length === 0 : triggers === undefined && type === undefined);
}

/** It has a handler, and nothing says what starts it; `noop` says that nothing should. */
export function isIdle({ config, handler }: StepExports): boolean {
  return handler !== undefined && config['type'] !== 'noop' && isDrawn(config);
}

/** True for a problem, false for a Step. */
export function isProblem<Found extends object>(found: Found | StepFileProblem): found is StepFileProblem {
  return 'kind' in found;
}

/** True for an object that may hold members by name. */
export const isObject = (value: unknown): value is Exports => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The type of a value with its article, for messages. */
export function article(value: unknown): string {
  if (value === null) return 'null';
  const name = Array.isArray(value) ? 'array' : typeof value;
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`;
}
