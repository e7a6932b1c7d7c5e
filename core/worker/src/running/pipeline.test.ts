import { expect } from 'chai';
import type { HttpRequest, StepContext } from 'treadle';
import { z } from 'zod';
import { bench, httpInput, json, serve } from '../runner.fixture.js';

const bodySchema = z.object({ title: z.string().min(2), priority: z.enum(['low', 'high']).default('low'), due: z.coerce.date().optional() });

describe('the worker\'s stage of validation', () => {
  it('hands the handler what the schemas made of body, query and headers', async () => {
    const querySchema = z.object({ page: z.coerce.number().default(1) });
    const headersSchema = z.object({ 'x-key': z.string().transform((text) => text.toUpperCase()) });
    const made = await serve(({ body, query, queryParams, headers }: HttpRequest) => ({ status: 200, body: { body, query, queryParams, headers } }), { bodySchema, querySchema, headersSchema });
    const result = await made.http('A', { headers: { 'x-key': 'abc', other: '1' }, query: { page: '3' }, body: { kind: 'json', value: { title: 'No light' } } });
    expect(json(result)).to.deep.equal({ body: { title: 'No light', priority: 'low' }, query: { page: 3 }, queryParams: { page: 3 }, headers: { 'x-key': 'ABC' } });
  });

  it('answers with the issues and never with the value', async () => {
    const made = await serve(() => ({ status: 200 }), { bodySchema });
    const { code, issues } = await made.failure('A', { input: httpInput({ body: { kind: 'json', value: { title: 'S', priority: 'secret-value' } } }) });
    expect(code).to.equal('validation_failed');
    expect(issues?.map(({ in: where, path, code: each }) => [where, path, each])).to.deep.equal([['body', 'title', 'too_small'], ['body', 'priority', 'invalid_value']]);
    expect(JSON.stringify(issues)).not.to.contain('secret-value');
  });

  it('names the place of an issue inside lists', async () => {
    const made = await serve(() => ({ status: 200 }), { bodySchema: z.object({ items: z.array(z.object({ n: z.number() })) }) });
    const { issues } = await made.failure('A', { input: httpInput({ body: { kind: 'json', value: { items: [{ n: 1 }, { n: 'x' }] } } }) });
    expect(issues?.[0]).to.include({ in: 'body', path: 'items.1.n' });
  });

  it('gives 20 issues at most', async () => {
    const made = await serve(() => ({ status: 200 }), { bodySchema: z.array(z.number()) });
    const { issues } = await made.failure('A', { input: httpInput({ body: { kind: 'json', value: Array.from({ length: 50 }, () => 'x') } }) });
    expect(issues).to.have.length(20);
  });

  it('waits for schemas that answer later', async () => {
    const slow = { '~standard': { version: 1, vendor: 'own', validate: async () => ({ value: 'checked' }) } };
    const made = await serve(({ body }: HttpRequest) => ({ status: 200, body }), { method: 'POST', bodySchema: slow });
    expect(json(await made.http('A'))).to.equal('checked');
  });

  it('checks the input of a queue, by the trigger or by its topic', async () => {
    const made = bench();
    const { topic } = await import('treadle');
    const triggers = [{ type: 'queue', topic: 'a', input: z.object({ n: z.number() }) }, { type: 'queue', topic: topic('b', z.object({ s: z.string() })) }];
    await made.runner.adopt([{ file: 'a', exports: { config: { name: 'A', triggers }, handler: () => undefined } }]);
    const run = (index: number, input: unknown): Promise<unknown> => made.run('A', { trigger: { type: 'queue', index }, input });
    expect(await run(0, { n: 1 })).to.deep.equal({ ok: true });
    expect(await run(0, { n: 'x' })).to.deep.include({ ok: false, code: 'validation_failed' });
    expect(await run(1, { s: 'x' })).to.deep.equal({ ok: true });
    expect(await run(1, {})).to.deep.include({ ok: false, code: 'validation_failed' });
  });

  it('leaves JSON Schema to the engine', async () => {
    const made = await serve(({ body }: HttpRequest) => ({ status: 200, body }), { bodySchema: { type: 'string' } });
    expect(json(await made.http('A', { body: { kind: 'json', value: 7 } }))).to.equal(7);
  });
});

describe('middleware', () => {
  type Next = () => Promise<{ status: number; body?: unknown }>;

  it('runs around validation in order, and after it where it asks for that', async () => {
    const order: string[] = [];
    const middleware = ['a', 'b'].map((name) => async (_request: never, _ctx: never, next: Next) => {
      order.push(`${name} in`);
      const result = await next();
      order.push(`${name} out`);
      return result;
    });
    const condition = (): boolean => order.push('condition') > 0;
    const later = { run: middleware.pop(), after: 'validation' };
    const made = await serve(() => ({ status: order.push('handler') > 0 ? 200 : 500 }), { method: 'POST', middleware: [later, ...middleware], condition, bodySchema: z.unknown().refine(() => order.push('validation') > 0) });
    expect((await made.http('A')).status).to.equal(200);
    expect(order).to.deep.equal(['a in', 'validation', 'b in', 'condition', 'handler', 'b out', 'a out']);
  });

  it('may answer by itself, change the result, or hand it through without a word', async () => {
    const handler = (): object => ({ status: 200, body: 1 });
    const closed = await serve(handler, { middleware: () => ({ status: 401 }) });
    expect(await closed.http('A')).to.deep.equal({ status: 401, unchecked: true });
    const changed = await serve(handler, { middleware: async (_r: never, _c: never, next: Next) => ({ ...(await next()), status: 202 }) });
    expect((await changed.http('A')).status).to.equal(202);
    const silent = await serve(handler, { middleware: async (_r: never, _c: never, next: Next) => void (await next()) });
    expect((await silent.http('A')).status).to.equal(200);
  });

  it('sees the handler\'s error and may answer it', async () => {
    const middleware = async (_r: never, _c: never, next: Next): Promise<object> => {
      try {
        return await next();
      } catch (error) {
        return { status: 409, body: (error as Error).message };
      }
    };
    const made = await serve(() => { throw new Error('taken'); }, { middleware });
    expect(await made.http('A')).to.include({ status: 409 });
  });

  it('may not call next twice', async () => {
    const made = await serve(() => ({ status: 200 }), { middleware: async (_r: never, _c: never, next: Next) => [await next(), await next()] });
    expect(await made.failure('A')).to.include({ code: 'unhandled_exception', message: 'a middleware called next() twice' });
  });

  it('gives what it hands to next() to the context of all that follows', async () => {
    const first = (_r: never, _c: never, next: (added: object) => unknown): unknown => next({ auth: { user: 'ada' }, __proto__: { no: 1 } });
    const later = { run: (_r: never, ctx: { auth: { user: string } }, next: (added: object) => unknown): unknown => next({ name: ctx.auth.user.toUpperCase() }), after: 'validation' };
    const condition = (_input: unknown, ctx: { name: string }): boolean => ctx.name === 'ADA';
    const made = await serve((_input: HttpRequest, ctx: StepContext) => ({ status: 200, body: [{ ...ctx }, 'no' in ctx] }), { middleware: [first, later], condition });
    const [ctx, polluted] = json(await made.http('A')) as [object, boolean];
    expect(ctx).to.deep.include({ auth: { user: 'ada' }, name: 'ADA', stepName: 'A' });
    expect(polluted).to.equal(false);
  });

  it('may add neither what every context has nor what is no object', async () => {
    for (const [given, message] of [
      [{ state: 1 }, 'next() was given "state", which every context has; choose another name'],
      [new Error('x'), 'next() takes an object whose members the context gets, not an error; throw it'],
      [7, 'next() takes an object whose members the context gets, not 7'],
    ] as const) {
      const made = await serve(() => ({ status: 200 }), { middleware: (_r: never, _c: never, next: (added: unknown) => unknown) => next(given) });
      expect(await made.failure('A')).to.include({ code: 'unhandled_exception', message });
    }
  });

  it('gets the context', async () => {
    const made = await serve(() => ({ status: 200 }), { middleware: (_r: never, ctx: StepContext) => ({ status: 200, body: ctx.stepName }) });
    expect(json(await made.http('A'))).to.equal('A');
  });
});

describe('condition', () => {
  it('lets the handler run for true alone', async () => {
    for (const answer of [false, 1, 'yes', undefined]) {
      const made = await serve(() => ({ status: 200 }), { condition: async () => answer });
      expect(await made.failure('A')).to.include({ code: 'condition_not_met', message: 'the condition of Step "A" is not met' });
    }
    const made = await serve(() => ({ status: 200 }), { condition: (input: HttpRequest, ctx: StepContext) => input.method === 'GET' && ctx.attempt === 1 });
    expect((await made.http('A')).status).to.equal(200);
  });

  it('that throws is an error of the Step', async () => {
    const made = await serve(() => ({ status: 200 }), { condition: () => { throw new TypeError('no field'); } });
    expect(await made.failure('A')).to.include({ code: 'unhandled_exception', name: 'TypeError', message: 'no field' });
  });
});
