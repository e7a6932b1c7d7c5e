import { Readable } from 'node:stream';
import { expect } from 'chai';
import { z } from 'zod';
import { expectType, type Same } from './expect-type.fixture.js';
import {
  cron, http, HttpError, middleware, queue, sse, state, step, stream, topic, trigger,
  type Authenticate, type CronInput, type FromJsonSchema, type Handlers, type Middleware, type PathParams, type StateChange, type StepConfig, type StepContext, type StepInput, type StreamConfig,
  type StreamItem,
} from './index.js';

const ticket = z.object({ title: z.string(), priority: z.enum(['low', 'high']).default('low'), due: z.coerce.date().optional() });

describe('types of a Step', () => {
  it('takes body, path parameters and query from the trigger of step()', () => {
    const made = step({
      name: 'CreateTicket',
      triggers: [http('POST', '/projects/:project/tickets/:id', { bodySchema: ticket, querySchema: z.object({ page: z.coerce.number() }) })],
    }, (input, ctx) => {
      expectType<Same<typeof input.body, z.output<typeof ticket>>>();
      expectType<Same<typeof input.request.body, z.output<typeof ticket>>>();
      expectType<Same<typeof input.pathParams, { project: string; id: string }>>();
      expectType<Same<typeof input.query, { page: number }>>();
      expectType<Same<typeof input.queryParams, { page: number }>>();
      expectType<Same<typeof input.headers, Record<string, string>>>();
      expectType<Same<typeof ctx.trigger.type, 'http'>>();
      expectType<Same<ReturnType<typeof ctx.getData>, z.output<typeof ticket>>>();
      return { status: 201, body: { id: '1' } };
    });
    expect(made.config.triggers[0].path).to.equal('/projects/:project/tickets/:id');
  });

  it('types the plain form by satisfies and Handlers', () => {
    const config = {
      name: 'GetTicket',
      triggers: [{ type: 'http', method: 'GET', path: '/tickets/:id' }],
      enqueues: ['ticket.read'],
    } as const satisfies StepConfig;
    const handler: Handlers<typeof config> = async (input, ctx) => {
      expectType<Same<typeof input.pathParams, { id: string }>>();
      expectType<Same<typeof input.body, unknown>>();
      await ctx.enqueue({ topic: 'ticket.read', data: { id: input.pathParams.id } });
      // @ts-expect-error -- the config does not list this topic
      await ctx.enqueue({ topic: 'ticket.gone', data: {} });
      return { status: 200 };
    };
    expect(handler).to.be.a('function');
  });

  it('understands JSON Schema literals', () => {
    const config = {
      name: 'A',
      triggers: [{
        type: 'http', method: 'PUT', path: '/a',
        bodySchema: {
          type: 'object', required: ['id', 'tags'],
          properties: { id: { type: 'string' }, tags: { type: 'array', items: { enum: ['x', 'y'] } }, age: { type: ['integer', 'null'] } },
        },
      }],
    } as const satisfies StepConfig;
    expectType<Same<StepInput<typeof config>['body'], { id: string; tags: ('x' | 'y')[]; age?: number | null }>>();
    expectType<Same<FromJsonSchema<{ anyOf: [{ const: 1 }, { type: 'string' }] }>, 1 | string>>();
    expectType<Same<FromJsonSchema<{ type: 'object'; additionalProperties: { type: 'boolean' } }>, Record<string, boolean>>>();
    expectType<Same<FromJsonSchema<{ description: 'anything' }>, unknown>>();
    expect(config.name).to.equal('A');
  });

  it('reads path parameters from the path', () => {
    expectType<Same<PathParams<'/'>, {}>>();
    expectType<Same<PathParams<'/a/b'>, {}>>();
    expectType<Same<PathParams<'/a/:one/b/:two'>, { one: string; two: string }>>();
    expectType<Same<PathParams<'/files/*rest'>, { rest: string }>>();
    expectType<Same<PathParams<string>, Record<string, string>>>();
  });

  it('types queue input by its schema, by its topic, else leaves it unknown', () => {
    const created = topic('ticket.created', z.object({ id: z.string(), at: z.coerce.date() }));
    step({ name: 'A', triggers: [queue(created)] }, (input) => {
      expectType<Same<typeof input, { id: string; at: Date }>>();
    });
    step({ name: 'B', triggers: [queue('plain', { input: ticket })] }, (input) => {
      expectType<Same<typeof input, z.output<typeof ticket>>>();
    });
    step({ name: 'C', triggers: [queue('plain')] }, (input) => {
      expectType<Same<typeof input, unknown>>();
    });
  });

  it('types enqueue by the topics that the config lists', () => {
    const created = topic('ticket.created', z.object({ id: z.string(), n: z.number().default(1) }));
    step({ name: 'A', triggers: [cron('* * * * *')], enqueues: [created, 'plain'] }, async (input, ctx) => {
      expectType<Same<typeof input, CronInput>>();
      const one = await ctx.enqueue({ topic: created, data: { id: '1' }, dedupeKey: 'k' });
      expectType<Same<typeof one, { messageId: string }>>();
      await ctx.enqueue({ topic: 'ticket.created', data: { id: '1', n: 2 } });
      const many = await ctx.enqueue([{ topic: 'plain', data: 7 }, { topic: 'plain', data: 8 }]);
      expectType<Same<typeof many, { messageId: string }[]>>();
      // @ts-expect-error -- the topic's schema wants an id
      await ctx.enqueue({ topic: 'ticket.created', data: {} });
      // @ts-expect-error -- not listed
      await ctx.enqueue({ topic: 'other', data: {} });
    });
    step({ name: 'B', triggers: [cron('* * * * *')] }, async (_input, ctx) => {
      // @ts-expect-error -- a Step without enqueues may not enqueue
      await ctx.enqueue({ topic: 'plain', data: 1 });
    });
  });

  it('gives a union to Steps with several triggers, and narrows it', () => {
    step({
      name: 'A',
      triggers: [http('POST', '/a/:id', { bodySchema: z.object({ n: z.number() }) }), queue('t', { input: z.object({ q: z.string() }) }), cron('@daily'), state({ group: 'g' })],
    }, async (input, ctx) => {
      expectType<Same<typeof ctx.trigger.type, 'http' | 'queue' | 'cron' | 'state'>>();
      expectType<Same<ReturnType<typeof ctx.getData>, { n: number } | { q: string } | CronInput | StateChange>>();
      if (ctx.is.http(input)) expectType<Same<typeof input.pathParams, { id: string }>>();
      if (ctx.is.queue(input)) expectType<Same<typeof input.q, string>>();
      // @ts-expect-error -- not one of its triggers
      void ctx.is.stream;
      return ctx.match({
        http: ({ request }) => ({ status: 200, body: request.body.n }),
        queue: async ({ q }) => void q,
        default: () => undefined,
      });
    });
  });

  it('lets branches of match give back nothing, each in its own way', () => {
    const log = (...said: unknown[]): void => void said;
    const config = {
      name: 'A', triggers: [{ type: 'http', method: 'GET', path: '/a' }, { type: 'queue', topic: 't' }, { type: 'cron', expression: '@daily' }],
    } as const satisfies StepConfig;
    const handler: Handlers<typeof config> = async (_input, ctx) => ctx.match({
      http: async () => ({ status: 200 }), queue: async (d) => { log(d); }, cron: ({ scheduledAt }) => { log(scheduledAt); },
    });
    step({ name: 'B', triggers: [http('GET', '/a'), queue('t')] }, (_input, { match }) => match({
      http: async () => ({ status: 200 }), queue: async (d) => { log(d); },
    }));
    step({ name: 'C', triggers: [http('GET', '/a'), queue('t')] }, async (_input, { match }) => {
      const found = await match({ http: ({ path }) => path, queue: async () => 7 });
      expectType<Same<typeof found, string | number>>();
      return undefined;
    });
    // @ts-expect-error -- what the branch of a request gives back is the answer
    step({ name: 'D', triggers: [http('GET', '/a'), queue('t')] }, (_input, { match }) => match({ http: () => 'text', queue: () => undefined }));
    // @ts-expect-error -- not one of its triggers
    step({ name: 'E', triggers: [http('GET', '/a')] }, (_input, { match }) => match({ state: () => undefined }));
    expect(handler).to.be.a('function');
  });

  it('takes streams, Responses and thrown errors as answers', () => {
    step({ name: 'A', triggers: [http('GET', '/a')] }, () => new Response('x'));
    step({ name: 'B', triggers: [http('GET', '/a')] }, () => ({ status: 200, body: new Blob(['x']) }));
    step({ name: 'C', triggers: [http('GET', '/a')] }, () => Readable.from(['x']));
    step({ name: 'D', triggers: [http('GET', '/a')] }, () => { throw new HttpError(404, { error: 'gone' }, { 'retry-after': 1 }); });
    step({ name: 'E', triggers: [http('HEAD', '/a')] }, () => ({ status: 200 }));
  });

  it('lets a Step that is only drawn have no triggers', () => {
    const drawn = { name: 'Customer', description: 'Somebody outside', virtualEnqueues: ['order.placed'], flows: ['orders'] } as const satisfies StepConfig;
    expectType<Same<StepInput<typeof drawn>, never>>();
    expect(drawn.name).to.equal('Customer');
  });

  it('checks results against responseSchema for the statuses that have one', () => {
    const responseSchema = { 200: z.object({ id: z.string() }), 400: z.object({ error: z.string() }) };
    step({ name: 'A', triggers: [http('GET', '/a', { responseSchema })] }, (input) => {
      if (input.query['x'] === '1') return { status: 400, body: { error: 'no' } };
      if (input.query['x'] === '2') return { status: 404 };
      if (input.query['x'] === '3') return undefined;
      return { status: 200, body: { id: '1' }, headers: { 'x-a': 1 } };
    });
    // @ts-expect-error -- the body of a 200 has an id
    step({ name: 'B', triggers: [http('GET', '/a', { responseSchema })] }, () => ({ status: 200, body: { wrong: 1 } }));
    // @ts-expect-error -- a 200 has a body
    step({ name: 'C', triggers: [http('GET', '/a', { responseSchema })] }, () => ({ status: 200 }));
    // @ts-expect-error -- a result has a status
    step({ name: 'D', triggers: [http('GET', '/a')] }, () => ({ body: 1 }));
    step({ name: 'E', triggers: [http('GET', '/a')] }, () => sse(async (send) => send({ n: 1 }, { event: 'tick' })));
  });

  it('refuses misspelt keys and unknown methods', () => {
    // @ts-expect-error -- bodyShema
    void ({ name: 'A', triggers: [{ type: 'http', method: 'GET', path: '/a', bodyShema: {} }] } satisfies StepConfig);
    // @ts-expect-error -- no such method
    http('FETCH', '/a');
    // @ts-expect-error -- a queue has no path
    void ({ name: 'A', triggers: [{ type: 'queue', topic: 't', path: '/a' }] } satisfies StepConfig);
    // @ts-expect-error -- no such kind
    void ({ name: 'A', triggers: [{ type: 'mqtt' }] } satisfies StepConfig);
    step({ name: 'A', triggers: [trigger('acme.mqtt', { topic: 'a/b' })] }, (input) => {
      expectType<Same<typeof input, unknown>>();
    });
  });

  it('types condition and middleware without annotations, and lets them be annotated', () => {
    const made = step({
      name: 'A',
      triggers: [
        http('GET', '/a', {
          condition: (input, ctx) => input.query['x'] === '1' && ctx.attempt === 1,
          middleware: [async (req, ctx, next) => {
            ctx.logger.info(req.headers['host'] ?? '');
            return next();
          }],
        }),
        queue('t', { condition: (input: { priority: string }) => input.priority === 'high' }),
        cron('@daily', { condition: ({ missed }) => !missed }),
      ],
    }, () => undefined);
    const plain = { name: 'B', triggers: [{ type: 'http', method: 'GET', path: '/b', condition: async ({ path }) => path === '/b' }] } as const satisfies StepConfig;
    // @ts-expect-error -- a condition answers true or false
    http('GET', '/a', { condition: () => 'yes' });
    expect([made.config.triggers.length, plain.triggers.length]).to.deep.equal([3, 1]);
  });

  it('gives the handler what middleware hands to next()', () => {
    const withUser = middleware(async (req, _ctx, next) => {
      if (req.headers['x-user'] === undefined) return { status: 401 };
      return next({ auth: { user: req.headers['x-user'], admin: true } });
    });
    const timed = middleware(async (_req, _ctx, next) => {
      const result = await next({ since: 7 });
      return { ...result, headers: { ...result?.headers, 'x-a': '1' } };
    });
    const tenant: Middleware<{ tenant: string }> = (_req, _ctx, next) => next({ tenant: 'a' });
    // @ts-expect-error -- it says that it adds a tenant
    const broken: Middleware<{ tenant: string }> = (_req, _ctx, next) => next();
    step({ name: 'A', triggers: [http('GET', '/a', { middleware: [withUser, timed, { run: tenant, after: 'validation' }, (_req, _ctx, next) => next({ inline: true })] })] }, (_input, ctx) => {
      expectType<Same<typeof ctx.auth, { user: string; admin: boolean }>>();
      expectType<Same<typeof ctx.since, number>>();
      expectType<Same<typeof ctx.tenant, string>>();
      expectType<Same<typeof ctx.inline, boolean>>();
      // @ts-expect-error -- nobody adds it
      void ctx.other;
      return { status: 200 };
    });
    expect(broken).to.be.a('function');
  });

  it('knows of added members where only some triggers add them', () => {
    const withUser: Middleware<{ auth: string }> = (_req, _ctx, next) => next({ auth: 'a' });
    const config = {
      name: 'A', triggers: [{ type: 'http', method: 'GET', path: '/a', middleware: withUser }, { type: 'cron', expression: '@daily' }],
    } as const satisfies StepConfig;
    const handler: Handlers<typeof config> = (_input, ctx) => {
      expectType<Same<typeof ctx.auth, string | undefined>>();
      return undefined;
    };
    const look = middleware(async (_req, _ctx, next) => { await next(); });
    step({ name: 'B', triggers: [http('GET', '/b', { middleware: [look] })] }, (_input, ctx) => {
      expectType<Same<typeof ctx.attempt, number>>();
      // @ts-expect-error -- a middleware that only looks on adds nothing
      void ctx.auth;
      return undefined;
    });
    // @ts-expect-error -- the context has a state of its own
    middleware((_req, _ctx, next) => next({ state: 1 }));
    expect(handler).to.be.a('function');
  });

  it('lets a handler for any config take a wide context', () => {
    const log = async (ctx: StepContext): Promise<void> => {
      await ctx.enqueue({ topic: 'anything', data: 1 });
      await ctx.streams['board']?.set('g', '1', {});
      const value = await ctx.state.get<{ n: number }>('g', 'k');
      expectType<Same<typeof value, { n: number } | null>>();
    };
    step({ name: 'A', triggers: [stream('board', { events: ['create'] })] }, (input) => {
      expectType<Same<typeof input.groupId, string>>();
      return log;
    });
  });

  it('gives the helpers their runtime form', () => {
    expect(http('GET', '/a', { timeoutMs: 5 })).to.deep.equal({ type: 'http', method: 'GET', path: '/a', timeoutMs: 5 });
    expect(queue('t', { config: { maxAttempts: 3 } })).to.deep.equal({ type: 'queue', topic: 't', config: { maxAttempts: 3 } });
    expect(cron('@daily', { timezone: 'Europe/Berlin' })).to.deep.equal({ type: 'cron', expression: '@daily', timezone: 'Europe/Berlin' });
    expect(state()).to.deep.equal({ type: 'state' });
    expect(stream('board', { id: '1' })).to.deep.equal({ type: 'stream', streamName: 'board', id: '1' });
    expect(trigger('acme.mqtt', { qos: 1 })).to.deep.equal({ type: 'acme.mqtt', qos: 1 });
  });

  it('takes the items of a stream from its schema, and lets its functions say what they were authenticated with', () => {
    const config = {
      name: 'board',
      schema: z.object({ status: z.string() }),
      canAccess: (subscription, auth?: { user: string }) => subscription.groupId === auth?.user,
    } satisfies StreamConfig<{ user: string }>;
    expectType<Same<StreamItem<typeof config>, { status: string }>>();
    expectType<Same<StreamItem<{ name: 'plain' }>, unknown>>();
    const authenticate: Authenticate<{ user: string }> = ({ headers }) => (headers['user'] === undefined ? null : { user: headers['user'] });
    expect(authenticate({ headers: {}, query: {}, url: '/', ip: '::1' })).to.equal(null);
    // @ts-expect-error -- a stream has a name
    const nameless: StreamConfig = { schema: {} };
    expect(nameless).to.be.an('object');
  });
});
