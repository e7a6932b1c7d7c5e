import type { Readable } from 'node:stream';
import type { StandardResult } from 'treadle';
import { isStreamBody, placedBody, receiveFiles, streamedBody, toBuffer, type WireBody } from './bodies.js';
import { RunError } from './failure.js';
import { HttpInput } from './http-input.js';
import type { Run } from './run.js';
import { accept, type Validate } from './validate.js';

const NO_STREAMS: readonly Readable[] = [];

/** Prepares the input at once when nothing has to be waited for; false when `runPrepared` is needed. */
export function prepareDirect(run: Run): boolean {
  const { plan } = run;
  if (!plan.direct) return false;
  if (plan.type !== 'http') {
    run.input = run.invoke.input;
    return true;
  }
  const { wire } = run;
  if (wire.files || wire.rawBody !== undefined || isStreamBody(wire.body)) return false;
  run.input = new HttpInput(wire, placedBody(wire.body as Parameters<typeof placedBody>[0]), plan.coerced);
  return true;
}

/** Body, validation, middleware, condition and handler, in this order. */
export async function runPrepared(run: Run): Promise<unknown> {
  run.input = run.plan.type === 'http' ? await httpInput(run) : await checked(run.plan.input, run.invoke.input, 'input');
  return through(run, 0);
}

async function httpInput(run: Run): Promise<HttpInput> {
  const { wire, plan } = run;
  const streams = run.invoke.streams ?? NO_STREAMS;
  const body: WireBody | undefined = wire.body;
  const input = new HttpInput(wire, isStreamBody(body) ? await streamedBody(body, streams) : placedBody(body), plan.coerced);
  if (wire.rawBody !== undefined) input.rawBody = rawBytes(wire.rawBody);
  if (wire.files) await takeFiles(run, input, streams);
  if (plan.body) input.body = await checked(plan.body, input.body, 'body');
  if (plan.query) input.queryParams = input.query = await checked(plan.query, input.query, 'query');
  if (plan.headers) input.headers = await checked(plan.headers, input.headers, 'headers');
  return input;
}

/** Base64 on the wire; an engine in the same process may hand the bytes themselves. */
const rawBytes = (raw: unknown): Buffer => (typeof raw === 'string' ? Buffer.from(raw, 'base64') : toBuffer(raw));

async function takeFiles(run: Run, input: HttpInput, streams: readonly Readable[]): Promise<void> {
  const received = await receiveFiles(run.wire.files ?? [], streams);
  run.onFinish(received.remove);
  input.files = received.files;
}

async function checked(validate: Validate | undefined, value: unknown, where: string): Promise<unknown> {
  if (!validate) return value;
  const result: StandardResult<unknown> | Promise<StandardResult<unknown>> = validate(value);
  return accept(await result, where);
}

/** Middleware from `index` on, then condition and handler. */
async function through(run: Run, index: number): Promise<unknown> {
  const middleware = run.plan.middleware[index];
  if (!middleware) return handle(run);
  let inner: Promise<unknown> | undefined;
  const next = (): Promise<unknown> => {
    if (inner) throw new Error('a middleware called next() twice');
    inner = through(run, index + 1);
    // Whoever awaits it hears of a failure; a middleware that does not must not take the process down.
    inner.catch(() => undefined);
    return inner;
  };
  const result = await middleware(run.input, run.context, next);
  // A middleware that only looks on need not hand the result through.
  return result === undefined && inner ? inner : result;
}

async function handle(run: Run): Promise<unknown> {
  const { condition } = run.plan;
  if (condition && (await condition(run.input, run.context)) !== true) {
    throw new RunError('condition_not_met', `the condition of Step "${run.step.step}" is not met`);
  }
  return run.step.handler(run.input, run.context);
}
