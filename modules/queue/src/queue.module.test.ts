import { expect } from 'chai';
import { moduleSuite } from '@treadle/testing';
import type { AdminError, OperationError, SubscriptionKey } from '@treadle/api';
import queue, { QueueModule } from './index.js';
import { mapQueuePlugin, type Rig, startRig, stepRecord } from './queue-rig.fixture.js';

const YAML = `
engine: { implicit_modules: false }
modules: [{ class: modules::queue::QueueModule, config: { adapter: { class: testing::queue::adapters::MapQueue } } }]
`;

moduleSuite({ module: QueueModule, plugins: [queue, mapQueuePlugin], env: () => ({ yaml: YAML }) });

describe('QueueModule', () => {
  let rig: Rig;
  afterEach(() => rig.test.stop());

  it('declares its trigger kinds and its operation, and refuses topics that a Step does not declare', async () => {
    rig = await startRig({ steps: [stepRecord('A', ['t'], ['u'])] });
    const { triggers } = rig.test.engine.dispatch;
    expect(triggers.kinds().map(({ type }) => type)).to.deep.equal(['queue', 'state', 'stream']);
    const outcomes: unknown[] = [];
    const worker = rig.worker({ A: async (_input, request) => {
      const id = [...worker.held].find((call) => call.request === request)?.id as number;
      const enqueue = (topic: string): Promise<unknown> => worker.handle.execute(id, 'queue.enqueue', { messages: [{ topic, data: 1 }] });
      outcomes.push(await enqueue('u'), await enqueue('v').catch(({ code, message }: OperationError) => `${code}: ${message}`));
    } });
    await rig.send('t', 1);
    await rig.clock.advance(0);
    await rig.clock.advance(0);
    expect(outcomes[0]).to.have.nested.property('[0].messageId');
    expect(outcomes[1]).to.equal('TopicNotDeclared: Step "A" enqueues to "v", which its "enqueues" does not list');
  });

  it('goes by a new rate limit at once, whatever the old one made it wait for', async () => {
    const limited = (rateLimit: { max: number; perMs: number }) => stepRecord('A', [{ type: 'queue', topic: 't', config: { rateLimit } }]);
    let ran = 0;
    rig = await startRig({ steps: [limited({ max: 1, perMs: 86_400_000 })], handlers: { A: () => { ran += 1; } } });
    for (let index = 0; index < 30; index += 1) await rig.send('t', index);
    await rig.clock.advance(1_000);
    expect(ran).to.equal(1);
    rig.test.engine.dispatch.catalog.publish([limited({ max: 10, perMs: 1_000 })]);
    for (let second = 0; second < 5; second += 1) await rig.clock.advance(1_000);
    expect(ran).to.equal(30);
  });

  it('begins no more deliveries than the rate limit allows', async () => {
    const seen: number[] = [];
    rig = await startRig({
      steps: [stepRecord('A', [{ type: 'queue', topic: 't', config: { rateLimit: { max: 2, perMs: 100 } } }])],
      handlers: { A: () => { seen.push(rig.clock.monotonic()); } },
    });
    for (let n = 0; n < 6; n++) await rig.send('t', n);
    await rig.clock.advance(1_000);
    expect(seen).to.deep.equal([0, 0, 100, 100, 200, 200]);
  });

  it('delays by the trigger, by the message and until a time', async () => {
    const seen: unknown[] = [];
    rig = await startRig({
      steps: [stepRecord('A', ['t', { type: 'queue', topic: 'slow', config: { delaySeconds: 2 } }])], handlers: { A: (input) => { seen.push(input); } },
    });
    await rig.send('t', 'by', { delayMs: 1_000 });
    await rig.send('t', 'at', { at: new Date(rig.clock.now() + 1_500).toISOString() });
    await rig.send('slow', 'slow');
    await rig.send('t', 'past', { at: 5 });
    for (const [ms, expected] of [[999, ['past']], [1, ['past', 'by']], [500, ['past', 'by', 'at']], [500, ['past', 'by', 'at', 'slow']]] as const) {
      await rig.clock.advance(ms);
      expect(seen).to.deep.equal(expected);
    }
  });

  for (const [jump, ms] of [['back', -3_600_000], ['forward', 3_600_000]] as const) {
    it(`delivers at a time by the clock of whoever wrote it, after that was put ${jump}`, async () => {
      const seen: unknown[] = [];
      rig = await startRig({ steps: [stepRecord('A', ['t'])], handlers: { A: (input) => { seen.push(input); } } });
      rig.clock.wall = () => rig.clock.now() + ms;
      await rig.send('t', 'at', { at: rig.clock.wall() + 1_500 });
      await rig.clock.advance(1_499);
      expect(seen).to.deep.equal([]);
      await rig.clock.advance(1);
      expect(seen).to.deep.equal(['at']);
    });
  }

  it('applies a changed config to what is claimed later', async () => {
    let running = 0;
    const config = (concurrency: number): readonly ReturnType<typeof stepRecord>[] => [stepRecord('A', [{ type: 'queue', topic: 't', config: { concurrency } }])];
    rig = await startRig({ steps: config(1), handlers: { A: () => { running++; return new Promise(() => undefined); } } });
    for (let n = 0; n < 3; n++) await rig.send('t', n);
    await rig.clock.advance(0);
    expect(running).to.equal(1);
    rig.test.engine.dispatch.catalog.publish(config(3));
    await rig.clock.advance(0);
    expect(running).to.equal(3);
    for (const call of rig.workers[0]?.held ?? []) call.succeed({});
  });

  it('waits for running handlers when it drains and claims nothing more', async () => {
    const release: (() => void)[] = [];
    rig = await startRig({
      steps: [stepRecord('A', [{ type: 'queue', topic: 't', config: { concurrency: 1 } }])],
      handlers: { A: () => new Promise<void>((resolve) => void release.push(resolve)) },
    });
    await rig.send('t', 1);
    await rig.send('t', 2);
    await rig.clock.advance(0);
    const stopped = rig.test.stop();
    await rig.clock.advance(10);
    expect(release).to.have.length(1);
    release[0]?.();
    await rig.clock.advance(10);
    expect(await stopped).to.deep.include({ drained: true, errors: [] });
    expect(release).to.have.length(1);
  });

  it('hands back what has not ended when the drain is over, without penalty', async () => {
    rig = await startRig({ steps: [stepRecord('A', ['t'])], handlers: { A: () => new Promise(() => undefined) } });
    await rig.send('t', 1);
    await rig.clock.advance(0);
    const stopped = rig.test.stop();
    await rig.clock.advance(29_999);
    expect(rig.workers[0]?.cancelled).to.deep.equal([]);
    const peek = rig.admin('GET', '/messages', { query: { step: 'A', topic: 't' } });
    expect((await peek as { items: object[] }).items[0]).to.include({ active: true });
    await rig.clock.advance(1);
    await rig.clock.advance(300);
    await rig.clock.advance(300);
    await stopped;
    expect(rig.workers[0]?.cancelled).to.deep.equal(['A drain']);
  });

  it('tells operators of what waits, and lets them publish, purge and discard', async () => {
    rig = await startRig({ steps: [stepRecord('A', ['t'])] });
    const body = { messages: [{ topic: 't', data: { a: 1 }, headers: { h: 'v' }, delayMs: 5 }, { topic: 't', data: 2 }] };
    const { messageIds } = await rig.admin('POST', '/messages', { body }) as { messageIds: string[] };
    const { items } = await rig.admin('GET', '/messages', { query: { step: 'A', topic: 't', limit: '5' } }) as { items: object[] };
    expect(items[0]).to.deep.include({
      messageId: messageIds[0], topic: 't', data: { a: 1 }, headers: { h: 'v' }, attempts: 0, active: false,
      enqueuedAt: '2026-01-01T00:00:00.000Z', dueAt: '2026-01-01T00:00:00.005Z',
    });
    expect(await rig.admin('POST', '/purge', { body: { step: 'A', topic: 't' } })).to.deep.equal({ purged: 2 });
    rig.worker({ A: () => { throw new Error('bad'); } });
    await rig.admin('POST', '/messages', { body: { topic: 't', data: 3 } });
    await rig.clock.advance(10_000_000);
    const { items: [letter] } = await rig.admin('GET', '/dead-letters', { query: { step: 'A' } }) as { items: { id: string }[] };
    expect(await rig.admin('GET', '/dead-letters/:id', { params: { id: letter?.id as string } })).to.deep.equal(letter);
    expect(await rig.admin('POST', '/dead-letters/discard', { body: { ids: [letter?.id] } })).to.deep.equal({ discarded: 1 });
  });

  it('tells who publishes to a topic that nobody consumes, and lets what lies there be purged', async () => {
    rig = await startRig({ steps: [stepRecord('A', ['t'])] });
    const purged = (body: object): Promise<unknown> =>
      rig.admin('POST', '/purge', { body }).catch(({ status, message }: AdminError) => `${status} ${message}`);
    const lost = { topic: 'lost', data: 1 };
    expect(await rig.admin('POST', '/messages', { body: { messages: [lost, { ...lost, topic: 't' }, lost] } })).to.have.deep.property('unrouted', ['lost']);
    expect(await rig.admin('POST', '/messages', { body: { topic: 't', data: 1 } })).to.not.have.property('unrouted');
    await rig.send('kept', 1);
    expect(await purged({ topic: 'lost' })).to.deep.equal({ purged: 2 });
    expect(await purged({ topic: 'lost' })).to.equal('404 nothing lies in topic "lost" without a subscriber');
    expect(await purged({ topic: 't' })).to.equal('400 topic "t" is consumed by A: name the Step whose messages are meant as "step"');
    expect(await purged({})).to.equal('400 name a "step", or a "topic" alone for what lies in it without a subscriber');
    expect((await rig.admin('GET', '/') as { unrouted: object[] }).unrouted).to.deep.equal([{ topic: 'kept', count: 1, oldestAgeMs: 0 }]);
    expect((await rig.admin('GET', '/') as { items: object[] }).items[0]).to.include({ waiting: 2 });
  });

  it('names the letters of several that are not there', async () => {
    rig = await startRig({ steps: [stepRecord('A', [{ type: 'queue', topic: 't', config: { maxAttempts: 1 } }])], handlers: { A: () => { throw new Error('x'); } } });
    await rig.send('t', 1);
    await rig.clock.advance(0);
    const { items: [letter] } = await rig.admin('GET', '/dead-letters') as { items: { id: string }[] };
    const ids = [letter?.id as string, ...Array.from({ length: 60 }, (_, index) => `${1000 + index}`)];
    expect(await rig.admin('POST', '/dead-letters/redrive', { body: { ids } })).to.deep.equal({ redriven: 1, notFound: ids.slice(1) });
    await rig.clock.advance(0);
    const { items: [again] } = await rig.admin('GET', '/dead-letters') as { items: { id: string }[] };
    expect(await rig.admin('POST', '/dead-letters/discard', { body: { ids: ['999', again?.id] } })).to.deep.equal({ discarded: 1, notFound: ['999'] });
  });

  it('redrives an edited letter with its message id', async () => {
    const seen: unknown[] = [];
    rig = await startRig({ steps: [stepRecord('A', [{ type: 'queue', topic: 't', config: { maxAttempts: 1 } }])], handlers: { A: (input) => {
      seen.push(input);
      if (input === 'bad') throw new Error('bad');
    } } });
    const id = await rig.send('t', 'bad');
    await rig.clock.advance(0);
    expect(await rig.admin('POST', '/dead-letters/redrive', { body: { all: true, data: 'good' } })).to.deep.equal({ redriven: 1 });
    await rig.clock.advance(0);
    expect(seen).to.deep.equal(['bad', 'good']);
    expect(await rig.admin('GET', '/dead-letters')).to.deep.equal({ items: [] });
    expect(id).to.be.a('string');
  });

  const refusals: readonly [string, 'GET' | 'POST', string, object, string][] = [
    ['an unknown subscription', 'POST', '/purge', { body: { step: 'A', topic: 'x' } }, '404 not_found: Step "A" is not subscribed to topic "x"'],
    ['a Step without any', 'POST', '/pause', { body: { step: 'B' } }, '404 not_found: Step "B" has no subscription'],
    ['a missing Step', 'GET', '/messages', { query: {} }, '400 invalid_argument: "step" is missing or no text'],
    ['messages of a Step without a subscription', 'GET', '/messages', { query: { step: 'Z' } }, '404 not_found: Step "Z" has no subscription'],
    ['a bad limit', 'GET', '/messages', { query: { step: 'A', topic: 't', limit: '0' } }, '400 invalid_argument: "limit" must be a whole number from 1 to 1000, got "0"'],
    ['a bad message', 'POST', '/messages', { body: { topic: 'a b', data: 1 } },
      '400 invalid_argument: "a b" cannot be a topic: use 1 to 200 letters, digits, ".", "_", ":", "/" or "-"'],
    ['no message at all', 'POST', '/messages', {}, '400 invalid_argument: a message is an object { topic, data }'],
    ['a redrive of nothing in particular', 'POST', '/dead-letters/redrive', { body: {} },
      '400 invalid_argument: choose dead letters by ids, step, topic, reason or all'],
    ['an unknown reason', 'GET', '/dead-letters', { query: { reason: 'x' } },
      '400 invalid_argument: "reason" must be one of max_attempts, non_retryable, invalid_input, crash_limit, loop_limit, subscription_retired'],
    ['a redrive to an unknown Step', 'POST', '/dead-letters/redrive', { body: { all: true, toStep: 'Z' } }, '404 not_found: Step "Z" has no subscription'],
    ['a cursor of its own making', 'GET', '/dead-letters', { query: { cursor: 'x' } }, '400 invalid_argument: "x" is no cursor of this store'],
    ['a redrive for a Step that is not there', 'POST', '/dead-letters/redrive', { body: { step: 'AA' } },
      '404 not_found: Step "AA" has neither a subscription nor dead letters; did you mean "A"?'],
    ['a discard for a Step that is not there', 'POST', '/dead-letters/discard', { body: { step: 'Zebra' } },
      '404 not_found: Step "Zebra" has neither a subscription nor dead letters'],
    ['a redrive of a letter that is not there', 'POST', '/dead-letters/redrive', { body: { ids: ['999'] } }, '404 not_found: there is no dead letter "999"'],
    ['a discard of letters that are not there', 'POST', '/dead-letters/discard', { body: { ids: ['998', 'x'] } },
      '404 not_found: there are no dead letters "998", "x"'],
    ['a letter that is not there', 'GET', '/dead-letters/:id', { params: { id: '9' } }, '404 not_found: there is no dead letter "9"'],
  ];
  for (const [name, method, path, request, text] of refusals) {
    it(`tells operators what is wrong with ${name}`, async () => {
      rig = await startRig({ steps: [stepRecord('A', ['t'])] });
      const refusal = await rig.admin(method, path, request).catch(({ status, code, message }: AdminError) => `${status} ${code}: ${message}`);
      expect(refusal).to.equal(text);
    });
  }

  it('gives up dead letters after 14 days and what nobody consumed after 7', async () => {
    rig = await startRig({ steps: [stepRecord('A', [{ type: 'queue', topic: 't', config: { maxAttempts: 1 } }])], handlers: { A: () => { throw new Error('x'); } } });
    await rig.send('t', 1);
    await rig.send('nobody', 1);
    await rig.clock.advance(60_000);
    const days = (count: number): Promise<void> => rig.clock.advance(count * 86_400_000);
    await days(7);
    expect((await rig.admin('GET', '/') as { unrouted: object[] }).unrouted).to.deep.equal([]);
    expect((await rig.admin('GET', '/dead-letters') as { items: SubscriptionKey[] }).items).to.have.length(1);
    await days(7);
    expect((await rig.admin('GET', '/dead-letters') as { items: SubscriptionKey[] }).items).to.have.length(0);
    expect(rig.test.logs.map(({ message }) => message)).to.include.members(['dead letters have expired', 'messages that nobody consumed have expired']);
  });
});
