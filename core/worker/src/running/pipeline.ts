import type { Readable } from 'node:stream';
import { isStreamBody, placedBody, receiveFiles, streamedBody, toBuffer, type WireBody } from './bodies.js';
import { RunError } from './failure.js';
import { checkRequest } from './http-checks.js';
import { HttpInput } from './http-input.js';
import { isThenable } from './is-thenable.js';
import type { Run } from './run.js';
import { accept, type Validate } from './validate.js';

const NO_STREAMS: readonly Readable[] = [];

/**
 * Body, validation, middleware, condition and handler, in this order. Nothing waits that need not: most schemas answer at
 * once, and each promise on the way costs every request. May throw.
 */
export function runPipeline(run: Run): unknown {
  const { plan } = run;
  if (plan.type !== 'http') return after(checked(plan.input, run.invoke.input, 'input'), (input) => through(run, input));
  return after(httpInput(run), (input) => (plan.checks.length > 0 ? after(checkRequest(plan.checks, input), () => through(run, input)) : through(run, input)));
}

/** Goes on with a value now, or when it is there. */
function after<T>(value: T | PromiseLike<T>, next: (value: T) => unknown): unknown {
  return isThenable(value) ? value.then(next) : next(value);
}

function httpInput(run: Run): HttpInput | Promise<HttpInput> {
  const { wire, plan } = run;
  const body: WireBody | undefined = wire.body;
  if (wire.files || isStreamBody(body)) return receivedInput(run);
  const input = new HttpInput(wire, placedBody(body), plan.coerced);
  if (wire.rawBody !== undefined) input.rawBody = rawBytes(wire.rawBody);
  return input;
}

async function receivedInput(run: Run): Promise<HttpInput> {
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

async function takeFiles(run: Run, input: HttpInput, streams: readonly Readable[]): Promise<void> {
  const received = await receiveFiles(run.wire.files ?? [], streams);
  run.onFinish(received.remove);
  input.files = received.files;
}

function checked(validate: Validate | undefined, value: unknown, where: string): unknown {
  return validate ? after(validate(value), (result) => accept(result, where)) : value;
}

/** Middleware, condition and handler. */
function through(run: Run, input: unknown): unknown {
  run.input = input;
  return run.plan.middleware.length > 0 ? inside(run, 0) : handle(run);
}

/** Middleware from `index` on, then condition and handler. */
async function inside(run: Run, index: number): Promise<unknown> {
  const middleware = run.plan.middleware[index];
  if (!middleware) return run.handled = await handle(run);
  let inner: Promise<unknown> | undefined;
  const next = (): Promise<unknown> => {
    if (inner) throw new Error('a middleware called next() twice');
    inner = inside(run, index + 1);
    // Whoever awaits it hears of a failure; a middleware that does not must not take the process down.
    inner.catch(() => undefined);
    return inner;
  };
  const result = await middleware(run.input, run.context, next);
  // A middleware that only looks on need not hand the result through.
  return result === undefined && inner ? inner : result;
}

function handle(run: Run): unknown {
  const { condition } = run.plan;
  if (!condition) return run.step.handler(run.input, run.context);
  return after(condition(run.input, run.context), (met) => {
    if (met !== true) throw new RunError('condition_not_met', `the condition of Step "${run.step.step}" is not met`);
    return run.step.handler(run.input, run.context);
  });
}
