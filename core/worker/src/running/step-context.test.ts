import { inspect } from 'node:util';
import { expect } from 'chai';
import { getContext, topic, type StepContext } from 'treadle';
import { bench, json, serve, TRACE_ID, type Bench } from '../runner.fixture.js';

async function inside(look: (ctx: StepContext, input: unknown) => unknown, config: object = {}): Promise<{ value: unknown; made: Bench }> {
  let value: unknown;
  const made = await serve(async (input: unknown, ctx: StepContext) => { value = await look(ctx, input); }, {}, config);
  await made.http('A');
  return { value, made };
}

async function rejection(promise: Promise<unknown>): Promise<object> {
  return promise.then(() => { throw new Error('resolved'); }, (error: Error) => ({ name: error.name, code: (error as { code?: unknown }).code, message: error.message }));
}

describe('the context of a handler', () => {
  it('tells trace, Step, trigger, attempt and deadline', async () => {
    const before = Date.now();
    const { value } = await inside((ctx) => ({ traceId: ctx.traceId, stepName: ctx.stepName, trigger: ctx.trigger, attempt: ctx.attempt, rest: ctx.deadline - before }));
    expect(value).to.deep.include({ traceId: TRACE_ID, stepName: 'A', trigger: { type: 'http', index: 0 }, attempt: 1 });
    expect((value as { rest: number }).rest).to.be.within(30_000, 31_000);
  });

  it('is what getContext gives, anywhere below the handler', async () => {
    const deep = async (): Promise<StepContext> => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      return getContext();
    };
    const { value } = await inside(async (ctx) => (await deep()) === ctx);
    expect(value).to.equal(true);
  });

  it('keeps handlers apart that run at the same time', async () => {
    const made = bench();
    const step = (name: string): object => ({ config: { name, triggers: [{ type: 'http', method: 'GET', path: `/${name}` }] }, handler: async () => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      return { status: 200, body: getContext().stepName };
    } });
    await made.runner.adopt(['A', 'B'].map((name) => ({ file: name, exports: { default: step(name) } })));
    expect((await Promise.all([made.http('A'), made.http('B'), made.http('A')])).map(json)).to.deep.equal(['A', 'B', 'A']);
  });

  it('works when its members are taken out of it', async () => {
    const { value, made } = await inside(async ({ logger: { info }, state: { get }, match, getData, is }) => {
      info('hello');
      await get('g', 'k').catch(() => undefined);
      return [await match({ default: () => 'matched' }), getData(), is['http']?.({})];
    });
    expect(value).to.deep.equal(['matched', undefined, true]);
    expect(made.logs[0]?.message).to.equal('hello');
    expect(made.calls[0]?.op).to.equal('state.get');
  });

  it('can be copied, and listed: its members are its own', async () => {
    const { value, made } = await inside(async (ctx) => {
      const { logger, state, extra, ...copy } = { ...ctx, extra: 1 };
      logger.info('from a copy', { extra });
      await state.get('g', 'k').catch(() => undefined);
      return { names: Object.keys(ctx), own: Object.hasOwn(ctx, 'logger') && !Object.hasOwn(ctx, 'other'), same: copy.signal === ctx.signal, traceId: copy.traceId, then: (copy.is as { then?: unknown }).then };
    });
    const { names, ...rest } = value as { names: string[] };
    expect(names).to.have.members(['logger', 'enqueue', 'state', 'streams', 'call', 'setup', 'env', 'traceId', 'trigger', 'match', 'is', 'getData', 'signal', 'attempt', 'deadline', 'message', 'now', 'ip', 'cookies', 'stepName', 'trace']);
    expect(rest).to.deep.equal({ own: true, same: true, traceId: TRACE_ID, then: undefined });
    expect([made.logs[0]?.fields, made.calls[0]?.op]).to.deep.equal([{ extra: 1 }, 'state.get']);
  });

  it('has JSON: what it tells of its run', async () => {
    const { value } = await inside((ctx) => JSON.stringify(ctx));
    expect(JSON.parse(value as string)).to.deep.include({ traceId: TRACE_ID, stepName: 'A', trigger: { type: 'http', index: 0 }, attempt: 1, is: {}, trace: { traceId: TRACE_ID, spanId: '00f067aa0ba902b7', traceFlags: 1 } });
  });

  it('has streams that can be copied, and listed: those that are declared, and those that were asked for', async () => {
    const made = await serve((_input: never, { streams }: StepContext) => {
      const { board } = { ...streams };
      streams['later']?.list('g').catch(() => undefined);
      return { status: 200, body: [Object.keys(streams), board === streams['board'], 'board' in streams, 'other' in streams] };
    }, {}, {}, [{ file: 'board.stream.ts', exports: { config: { name: 'board', schema: {} } } }]);
    expect(json(await made.http('A'))).to.deep.equal([['board', 'later'], true, true, false]);
  });

  it('is shown with its members and its streams', async () => {
    const { value } = await inside((ctx) => {
      void ctx.streams['board'];
      return inspect(Object.assign(ctx, { user: 'ada' }));
    });
    expect(value).to.match(/^HandlerContext \{/).and.to.contain(`traceId: '${TRACE_ID}'`).and.to.contain("trigger: { type: 'http', index: 0 }")
      .and.to.contain("user: 'ada'").and.to.match(/streams: \{\s+board: \{/).and.to.match(/trace: \{\s+traceId/).and.not.to.contain('host');
  });

  it('takes what the application adds to it', async () => {
    const { value } = await inside((ctx) => {
      Object.assign(ctx, { user: 'ada' });
      Object.defineProperty(ctx, 'attempt', { value: 7, enumerable: true });
      return [(ctx as { user?: string }).user, ctx.attempt, { ...ctx }.attempt, Object.keys(ctx).filter((name) => name === 'user' || name === 'attempt')];
    });
    expect(value).to.deep.equal(['ada', 7, 7, ['attempt', 'user']]);
  });

  it('has a logger whose fields are copied as plain JSON, errors and cycles included', async () => {
    const fields: Record<string, unknown> = { n: 1, when: new Date(0), big: 1n, bad: Number.NaN, error: Object.assign(new TypeError('no'), { code: 'E1' }), bytes: new Uint8Array(3), map: new Map([['a', 1]]) };
    fields['self'] = fields;
    const { made } = await inside((ctx) => {
      ctx.logger.warn('careful', fields);
      fields['n'] = 2;
    });
    const [record] = made.logs;
    expect(record).to.include({ level: 'warn', message: 'careful', stepName: 'A' });
    expect(record?.id).to.be.a('number');
    const { error, ...rest } = record?.fields as { error: object };
    expect(rest).to.deep.equal({ n: 1, when: '1970-01-01T00:00:00.000Z', big: '1', bad: 'NaN', bytes: '[3 bytes]', map: { a: 1 }, self: '[circular]' });
    expect(error).to.include({ name: 'TypeError', message: 'no', code: 'E1' });
    expect(() => JSON.stringify(record)).not.to.throw();
  });

  it('matches the kind that fired, else the default, and says when there is neither', async () => {
    const made = bench();
    const triggers = [{ type: 'http', method: 'GET', path: '/a' }, { type: 'queue', topic: 't' }, { type: 'cron', expression: '@daily' }];
    const got: unknown[] = [];
    const handler = (_input: unknown, ctx: StepContext): unknown => ctx.match({ http: ({ request }: { request: { method: string } }) => ({ status: 200, body: request.method }), queue: (data: unknown) => void got.push(data) } as never);
    await made.runner.adopt([{ file: 'a', exports: { config: { name: 'A', triggers }, handler } }]);
    expect(json(await made.http('A'))).to.equal('GET');
    await made.run('A', { trigger: { type: 'queue', index: 1 }, input: { id: 7 } });
    expect(got).to.deep.equal([{ id: 7 }]);
    expect(await made.failure('A', { trigger: { type: 'cron', index: 2 } })).to.include({ message: 'ctx.match has no case for trigger kind "cron" and no default' });
  });
});

describe('operations of a handler', () => {
  const made: { ctx?: StepContext; bench: Bench } = { bench: undefined as never };
  const created = topic('typed', { type: 'object' });

  beforeEach(async () => {
    const { promise, resolve } = pending();
    made.bench = await serve(async (_input: unknown, ctx: StepContext) => { made.ctx = ctx; await promise; }, {}, { enqueues: ['plain', created] });
    void made.bench.run('A');
    after(resolve);
  });

  it('go to the engine under their names, with their arguments by name', async () => {
    const { ctx, bench: { calls } } = made;
    made.bench.answer = () => 'answer';
    const { state } = ctx!;
    expect(await state.get('g', 'k')).to.equal('answer');
    expect(await state.delete('g', 'k')).to.equal(undefined);
    await state.set('g', 'k', { a: 1 }, { ttlMs: 5 });
    await state.update('g', 'k', [{ type: 'increment', path: 'n' }]);
    await state.list('g', { prefix: 'p', limit: 3 });
    await state.listGroups();
    await state.clear('g');
    await state.getEntry('g', 'k');
    await state.compareAndSet('g', 'k', 3, 1);
    const board = ctx!.streams['board']!;
    await board.set('g', '1', { a: 1 });
    await board.send({ groupId: 'g' }, { type: 'ping', data: 1 });
    expect(ctx!.streams['board']).to.equal(board);
    expect(calls.map(({ op, args }) => [op, args])).to.deep.equal([
      ['state.get', { group: 'g', key: 'k' }], ['state.delete', { group: 'g', key: 'k' }],
      ['state.set', { group: 'g', key: 'k', value: { a: 1 }, ttlMs: 5 }], ['state.update', { group: 'g', key: 'k', ops: [{ type: 'increment', path: 'n' }] }],
      ['state.list', { group: 'g', prefix: 'p', limit: 3 }], ['state.listGroups', {}], ['state.clear', { group: 'g' }], ['state.getEntry', { group: 'g', key: 'k' }],
      ['state.compareAndSet', { group: 'g', key: 'k', revision: 3, value: 1 }], ['stream.set', { stream: 'board', groupId: 'g', id: '1', item: { a: 1 } }],
      ['stream.send', { stream: 'board', groupId: 'g', event: { type: 'ping', data: 1 } }],
    ]);
  });

  it('of plugins are called by name, also from what the handler calls', async () => {
    type Call = (name: string, args: object) => Promise<unknown>;
    const deep = (): Promise<unknown> => (getContext().call as unknown as Call)('mqtt.publish', { topic: 't' });
    const { value, made: { calls: sent } } = await inside(async (_ctx) => deep().catch((error: Error) => error.message));
    expect(value).to.equal('nobody serves mqtt.publish');
    expect(sent.map(({ op, args }) => [op, args])).to.deep.equal([['mqtt.publish', { topic: 't' }]]);
  });

  it('reject as the engine says', async () => {
    expect(await rejection(made.ctx!.state.get('g', 'k'))).to.deep.equal({ name: 'OperationError', code: 'OPERATION_UNAVAILABLE', message: 'nobody serves state.get' });
  });

  it('reject with an OperationError also for the engine\'s own class', async () => {
    made.bench.answer = () => { throw Object.assign(new Error('too late'), { code: 'StaleDelivery', name: 'OperationError' }); };
    expect(await rejection(made.ctx!.state.get('g', 'k'))).to.deep.equal({ name: 'OperationError', code: 'StaleDelivery', message: 'too late' });
  });

  it('refuse values that JSON would change, and send nothing', async () => {
    const cycle: Record<string, unknown> = {};
    cycle['a'] = cycle;
    const { state } = made.ctx!;
    const set = (value: unknown): Promise<object> => rejection(state.set('g', 'k', value));
    expect(await set(undefined)).to.include({ code: 'InvalidValue', message: 'the value is not JSON: undefined' });
    expect(await set({ a: [1, Number.NaN] })).to.include({ message: 'the value is not JSON: NaN is no JSON number at a.1' });
    expect(await set({ f: () => 1 })).to.include({ message: 'the value is not JSON: a function at f' });
    expect(await set(1n)).to.include({ message: 'the value is not JSON: a bigint' });
    expect(await set(cycle)).to.have.property('message').that.contains('nested deeper than 100, or a cycle');
    expect(made.bench.calls).to.deep.equal([]);
  });

  it('refuse values of more parts than the engine takes, and send nothing', async () => {
    const { state } = made.ctx!;
    const set = (value: object): Promise<object> => rejection(state.set('g', 'k', value as never));
    const many = (most: string): object => ({ code: 'InvalidValue', message: `the value has more than ${most}; store it in several parts, or as text` });
    expect(await set(new Array(100_001).fill([]))).to.include(many('100000 members and elements'));
    expect(await set(Array.from({ length: 33_400 }, () => ({ a: 1, b: 2 })))).to.include(many('100000 members and elements'));
    expect(await set(Array.from({ length: 20_001 }, (_, index) => ({ [`k${index}`]: 1 })))).to.include(many('20000 different keys'));
    expect(made.bench.calls).to.deep.equal([]);
    made.bench.answer = () => null;
    await state.set('g', 'k', Array.from({ length: 33_300 }, () => ({ a: 1, b: 2 })));
    expect(made.bench.calls).to.have.length(1);
  });

  it('refuse a batch of more parts than the engine takes at once', async () => {
    const { enqueue } = made.ctx!;
    const batch = (...all: unknown[]): Promise<object> => rejection(enqueue(all.map((data) => ({ topic: 'plain', data })) as never));
    const many = (most: string): object => ({ code: 'InvalidValue', message: `the batch has more than ${most}; enqueue them in several batches` });
    const items = new Array(50_000).fill(0);
    expect(await batch(items, items, items, items, [1])).to.include(many('200000 members and elements'));
    const keys = (from: number): object => Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`k${from + index}`, 1]));
    expect(await batch(keys(0), keys(20_000))).to.include(many('20000 different keys'));
    expect(made.bench.calls).to.deep.equal([]);
    made.bench.answer = (_op, args) => (args as { messages: unknown[] }).messages;
    await enqueue([items, items, items, items].map((data) => ({ topic: 'plain', data })) as never);
    expect(made.bench.calls).to.have.length(1);
  });

  it('enqueue one message or several at once', async () => {
    made.bench.answer = (_op, args) => (args as { messages: unknown[] }).messages.map((_, n) => ({ messageId: `m${n}` }));
    const { ctx, bench: { calls } } = made;
    expect(await ctx!.enqueue({ topic: 'plain', data: { a: 1 }, delayMs: 5, at: new Date(0) })).to.deep.equal({ messageId: 'm0' });
    expect(await ctx!.enqueue([{ topic: created, data: 1 }, { topic: 'typed', data: 2 }])).to.deep.equal([{ messageId: 'm0' }, { messageId: 'm1' }]);
    expect(calls.map(({ op, args }) => [op, args])).to.deep.equal([
      ['queue.enqueue', { messages: [{ topic: 'plain', data: { a: 1 }, delayMs: 5, at: '1970-01-01T00:00:00.000Z' }] }],
      ['queue.enqueue', { messages: [{ topic: 'typed', data: 1 }, { topic: 'typed', data: 2 }] }],
    ]);
  });

  it('refuse a topic that is not declared, and then send nothing of the batch', async () => {
    const refused = await rejection(made.ctx!.enqueue([{ topic: 'plain', data: 1 }, { topic: 'other', data: 1 }]));
    expect(refused).to.deep.equal({ name: 'TopicNotDeclared', code: 'TopicNotDeclared', message: 'Step "A" enqueues to "other", which its "enqueues" does not list' });
    expect(made.bench.calls).to.deep.equal([]);
  });
});

function pending(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  return { promise: new Promise((done) => { resolve = done; }), resolve: () => resolve() };
}
