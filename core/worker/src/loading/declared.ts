import type { StepFileProblem } from '@treadle/protocol';
import type { StandardResult } from 'treadle';
import type { FileRole } from '../discover.js';
import { findEnv } from '../setup/env-file.js';
import { findSetup, type SetupDefinition } from '../setup/setup-file.js';
import { isThenable } from '../running/is-thenable.js';
import { answeringStep, toRunnableStep, type Handler, type RunnableStep } from '../running/runnable-step.js';
import { accept, validatorOf } from '../running/validate.js';
import { findMiddleware, type MiddlewareExports } from './placed-middleware.js';
import { article, type Exports, findStep, isIdle, isObject, isProblem } from './step-exports.js';

/** What a file declares: its config, and how it is run; undefined when it has no name to be called by, or nothing starts it. */
export interface Declared {
  readonly config: Exports;
  readonly runnable: RunnableStep | undefined;
  /** It has a handler, and no trigger that would start it. */
  readonly idle?: boolean;
  /** Of a file of middleware. */
  readonly middleware?: MiddlewareExports;
  /** Of a file of a setup. */
  readonly setup?: SetupDefinition;
}

/** Finds what a file of a role declares among its exports. */
export function findDeclared(role: FileRole, exports: Exports): Declared | StepFileProblem {
  if (role === 'stream') return findStream(exports);
  if (role === 'stream-auth') return findAuthentication(exports);
  if (role === 'middleware') {
    const middleware = findMiddleware(exports);
    return isProblem(middleware) ? middleware : { config: middleware.config, runnable: undefined, middleware };
  }
  if (role === 'setup') {
    const setup = findSetup(exports);
    return isProblem(setup) ? setup : { config: {}, runnable: undefined, setup };
  }
  if (role === 'env') {
    const env = findEnv(exports);
    return isProblem(env) ? env : { config: env, runnable: undefined };
  }
  const found = findStep(exports);
  if (isProblem(found)) return found;
  const { config, handler } = found;
  return { config, runnable: handler && toRunnableStep(config, handler), idle: isIdle(found) };
}

/** What its functions are invoked as begins with it. */
const STREAM = 'stream:';

/** Name of the stream whose functions are invoked as `name`, if it is one. */
export function declaredStream(name: string): string | undefined {
  return name.startsWith(STREAM) ? name.slice(STREAM.length) : undefined;
}

const STREAM_FORM = 'write "export const config = { name, schema }", or export that object as default';

/** `export const config`, `export default config` or `export default { config }`. */
function findStream(exports: Exports): Declared | StepFileProblem {
  const standard = exports['default'];
  const config = exports['config'] ?? (isObject(standard) ? standard['config'] ?? standard : standard);
  if (!isObject(config)) {
    const message = config === undefined ? `the file exports no config; ${STREAM_FORM}` : `config must be an object, not ${article(config)}`;
    return { kind: 'missing_config', message };
  }
  const { name } = config;
  const named = typeof name === 'string' && name !== '';
  return { config, runnable: named ? answeringStep(STREAM + name, 'stream.declaration', hooksOf(name, config)) : undefined };
}

const AUTH_FORM = 'write "export async function authenticate({ headers, query, url, ip })"';

/** `export function authenticate`, `export const config = { authenticate }`, or one of them as default. */
function findAuthentication(exports: Exports): Declared | StepFileProblem {
  const config = authenticationConfig(exports);
  const { authenticate } = config;
  if (typeof authenticate !== 'function') {
    const message = authenticate === undefined ? `the file exports no authenticate; ${AUTH_FORM}`
      : `authenticate must be a function, not ${article(authenticate)}`;
    return { kind: 'missing_authenticate', message };
  }
  const handler: Handler = (input) => (authenticate as Handler).call(config, (input as { request?: unknown }).request, undefined);
  return { config, runnable: answeringStep('stream-auth', 'stream.authentication', handler) };
}

function authenticationConfig(exports: Exports): Exports {
  const { authenticate, config, default: standard } = exports;
  if (authenticate !== undefined) return { authenticate };
  if (isObject(config)) return config;
  if (isObject(standard)) return isObject(standard['config']) ? standard['config'] : standard;
  return standard === undefined ? {} : { authenticate: standard };
}

interface HookInput {
  readonly hook: string;
  readonly subscription?: unknown;
  readonly auth?: unknown;
  /** With the hook `schema`. */
  readonly item?: unknown;
}

const HOOKS: readonly string[] = ['canAccess', 'onJoin', 'onLeave'];

/** Runs the function that the engine asks for. The config is read each time, so that `this` in a hook is its config. */
function hooksOf(name: string, config: Exports): Handler {
  const judge = judgeOf(config['schema']);
  return (input) => {
    const { hook, subscription, auth, item } = input as HookInput;
    if (hook === 'schema') return judge(item);
    const found = HOOKS.includes(hook) ? config[hook] : undefined;
    if (typeof found !== 'function') throw new Error(`stream "${name}" declares no function "${hook}"`);
    return (found as Handler).call(config, subscription, auth);
  };
}

/** Lets the library of the schema judge an item; what it makes of it is not stored. */
function judgeOf(schema: unknown): (item: unknown) => unknown {
  const validate = validatorOf(schema);
  const judged = (result: StandardResult<unknown>): void => void accept(result, 'item');
  return (item) => {
    const result = validate?.(item);
    return isThenable(result) ? result.then(judged) : result && judged(result);
  };
}
