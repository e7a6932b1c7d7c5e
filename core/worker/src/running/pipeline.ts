import type { Readable } from 'node:stream';
import type { HttpInput as WireInput } from '@treadle/protocol';
import { isStreamBody, placedBody, receiveFiles, streamedBody, toBuffer, type WireBody } from './bodies.js';
import { RunError } from './failure.js';
import { checkRequest } from './http-checks.js';
import { HttpInput } from './http-input.js';
import { isThenable } from './is-thenable.js';
import type { InvokeInput } from './invoke.js';
import type { MiddlewareFunction, RunnableStep, TriggerPlan } from './runnable-step.js';
import { addMembers, type HandlerContext } from './step-context.js';
import { accept, type Validate } from './validate.js';

const NO_STREAMS: readonly Readable[] = [];

/** What goes through the pipeline, and what is noted of it on the way. */
export interface PipelineRun {
  readonly step: RunnableStep;
  readonly plan: TriggerPlan;
  readonly invoke: InvokeInput;
  /** The wire's form of an http input. */
  readonly wire: WireInput;
  readonly context: HandlerContext;
  /** First argument of the handler. */
  input: unknown;
  /** What the handler gave back to middleware around it. */
  handled: unknown;
  /** `task` runs when handler and streamed answer are over; it must not throw or reject. */
  onFinish(task: () => unknown): void;
}

/**
 * Body, middleware, validation, middleware that is to come after it, condition and handler, in this order. Nothing waits that need not: most schemas answer at
 * once, and each promise on the way costs every request. May throw.
 */
export function runPipeline(run: PipelineRun): unknown {
  const { plan } = run;
  if (plan.type !== 'http') {
    return after(checked(plan.input, run.invoke.input, 'input'), (input) => {
      run.input = input;
      return handle(run);
    });
  }
  return after(httpInput(run), (input) => {
    run.input = input;
    return inside(run, plan.middleware, validated);
  });
}

/** Goes on with a value now, or when it is there. */
function after<T>(value: T | PromiseLike<T>, next: (value: T) => unknown): unknown {
  return isThenable(value) ? value.then(next) : next(value);
}

function httpInput(run: PipelineRun): HttpInput | Promise<HttpInput> {
  const { wire, plan } = run;
  const body: WireBody | undefined = wire.body;
  if (wire.files || isStreamBody(body)) return receivedInput(run);
  const input = new HttpInput(wire, placedBody(body), plan.coerced);
  if (wire.rawBody !== undefined) input.rawBody = rawBytes(wire.rawBody);
  return input;
}

async function receivedInput(run: PipelineRun): Promise<HttpInput> {
  const { wire, plan } = run;
  const streams = run.invoke.streams ?? NO_STREAMS;
  const body: WireBody | undefined = wire.body;
  const input = new HttpInput(wire, isStreamBody(body) ? await streamedBody(body, streams) : placedBody(body), plan.coerced);
  if (wire.rawBody !== undefined) input.rawBody = rawBytes(wire.rawBody);
  if (wire.files) await takeFiles(run, input, streams);
  return input;
}

/** Base64 on the wire; an engine in the same process may hand the bytes themselves. */
const rawBytes = (raw: unknown): Buffer => (typeof raw === 'string' ? Buffer.from(raw, 'base64') : toBuffer(raw));

async function takeFiles(run: PipelineRun, input: HttpInput, streams: readonly Readable[]): Promise<void> {
  const received = await receiveFiles(run.wire.files ?? [], streams);
  run.onFinish(received.remove);
  input.files = received.files;
}

function checked(validate: Validate | undefined, value: unknown, where: string): unknown {
  return validate ? after(validate(value), (result) => accept(result, where)) : value;
}

/** Validation by the engine and by the Step's own schemas, then what only valid requests get to. */
function validated(run: PipelineRun): unknown {
  const { plan, wire: { refused } } = run;
  if (refused) throw new RunError(refused.code, refused.message, refused.issues);
  if (plan.checks.length === 0) return inside(run, plan.inner, handled);
  return after(checkRequest(plan.checks, run.input as HttpInput), () => inside(run, plan.inner, handled));
}

/** What the handler gave back is known where middleware lies around it. */
function handled(run: PipelineRun): unknown {
  const { plan } = run;
  if (plan.middleware.length + plan.inner.length === 0) return handle(run);
  return after(handle(run), (value) => run.handled = value);
}

/** Middleware around what comes `within` it. */
function inside(run: PipelineRun, middleware: readonly MiddlewareFunction[], within: (run: PipelineRun) => unknown): unknown {
  return middleware.length > 0 ? enter(run, middleware, within, 0) : within(run);
}

/** Middleware from `index` on. */
async function enter(run: PipelineRun, list: readonly MiddlewareFunction[], within: (run: PipelineRun) => unknown, index: number): Promise<unknown> {
  const middleware = list[index];
  if (!middleware) return within(run);
  let inner: Promise<unknown> | undefined;
  const next = (added?: unknown): Promise<unknown> => {
    if (inner) throw new Error('a middleware called next() twice');
    if (added !== undefined) addMembers(run.context, added);
    inner = enter(run, list, within, index + 1);
    // Whoever awaits it hears of a failure; a middleware that does not must not take the process down.
    inner.catch(() => undefined);
    return inner;
  };
  const result = await middleware(run.input, run.context, next);
  // A middleware that only looks on need not hand the result through.
  return result === undefined && inner ? inner : result;
}

function handle(run: PipelineRun): unknown {
  const { condition } = run.plan;
  if (!condition) return run.step.handler(run.input, run.context);
  return after(condition(run.input, run.context), (met) => {
    if (met !== true) throw new RunError('condition_not_met', `the condition of Step "${run.step.step}" is not met`);
    return run.step.handler(run.input, run.context);
  });
}
