import type { StepFileProblem } from '@treadle/protocol';
import { HttpError, type StepContext } from 'treadle';
import { middlewareFor, pathsOf, type PlacedMiddleware } from '../placement.js';
import { isMiddleware, middlewareOf, type MiddlewareFunction, type RunnableStep, type TriggerPlan } from '../running/runnable-step.js';
import { article, type Exports, isObject } from './step-exports.js';

/** Middleware of a file, ready to run. */
export interface LoadedMiddleware extends PlacedMiddleware {
  readonly outer: readonly MiddlewareFunction[];
  /** After validation. */
  readonly inner: readonly MiddlewareFunction[];
}

const FORM = 'write "export default middleware(async (request, ctx, next) => next())"';

/** What a file of middleware exports: a function, `{ run, after }` or a list of them as default or as `middleware`, and perhaps a `config`. */
export interface MiddlewareExports {
  readonly config: Exports;
  readonly functions: unknown;
}

export function findMiddleware(exports: Exports): MiddlewareExports | StepFileProblem {
  const { config = {}, default: standard, middleware: functions = standard } = exports;
  if (!isObject(config)) return { kind: 'missing_config', message: `config must be an object, not ${article(config)}` };
  const list: readonly unknown[] = Array.isArray(functions) ? functions : [functions];
  if (list.length > 0 && list.every(isMiddleware)) return { config, functions };
  const message = functions === undefined ? `the file exports no middleware; ${FORM}` : `middleware must be a function, not ${article(functions)}; ${FORM}`;
  return { kind: 'missing_handler', message };
}

export function loadedMiddleware(file: string, { config, functions }: MiddlewareExports): LoadedMiddleware {
  const paths = pathsOf(config);
  const [outer, inner] = middlewareOf(functions);
  const placed = { file, ...(paths && { paths }) };
  return config['after'] === 'validation' ? { ...placed, outer: [], inner: [...outer, ...inner] } : { ...placed, outer, inner };
}

/** In place of middleware that could not be loaded: nothing is served without it. `text`: of the file, which may say that it holds for more than its folder. */
export function missingMiddleware(file: string, text: string): LoadedMiddleware {
  const refuse = refusal(`${file} could not be loaded; the routes behind it answer 503`, file);
  const holdsElsewhere = /\bconfig\b|\bexport\s*\*/.test(text);
  return { file, ...(holdsElsewhere && { paths: ['/'] }), outer: [refuse], inner: [] };
}

interface Served {
  readonly step: RunnableStep | undefined;
  readonly middleware?: LoadedMiddleware | undefined;
}

/** What is served of a file whose guard lacks a secret, in development: its routes, and those behind its middleware, answer 503 and say why. */
export function refusing<Kept extends Served>(
  kept: Kept, file: string, { message, at = file, line }: StepFileProblem,
): Kept {
  const reason = `${at}${line === undefined ? '' : `:${line}`}: ${message}`;
  const refuse = refusal(reason, file, reason);
  const plans = kept.step?.plans.map((plan) => (plan.route === undefined ? plan : { ...plan, middleware: [refuse] }));
  return { ...kept, step: kept.step && { ...kept.step, plans: plans ?? [] }, middleware: kept.middleware && { ...kept.middleware, outer: [refuse], inner: [] } };
}

/** Middleware that answers 503. `message`: for whoever asks. */
function refusal(reason: string, file: string, message?: string): MiddlewareFunction {
  return (_request, ctx) => {
    (ctx as StepContext).logger.error(reason, { file });
    throw new HttpError(503, { error: 'Service Unavailable', code: 'no_worker', ...message !== undefined && { message } });
  };
}

/** A Step of a file with the middleware that holds for its routes; the Step itself when there is none. */
export function behindMiddleware(step: RunnableStep, file: string, all: readonly LoadedMiddleware[]): RunnableStep {
  const plans = step.plans.map((plan) => {
    const placed = plan.route === undefined ? [] : middlewareFor(all, file, plan.route);
    return placed.length === 0 ? plan : planBehind(plan, placed);
  });
  return plans.some((plan, index) => plan !== step.plans[index]) ? { ...step, plans } : step;
}

function planBehind(plan: TriggerPlan, placed: readonly LoadedMiddleware[]): TriggerPlan {
  return {
    ...plan, middleware: [...placed.flatMap(({ outer }) => outer), ...plan.middleware], inner: [...placed.flatMap(({ inner }) => inner), ...plan.inner],
  };
}
