import { deepStrictEqual } from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { cron, http, NonRetryableError, queue, state, step, RetryAfter } from 'treadle';
import type { TestEngine, TestEngineOptions } from './index.js';
import { failure, KitBench, steps } from './kit/kit-bench.fixture.js';

const at = (text: string): number => Date.parse(text);

describe('createTestEngine', function () {
  this.timeout(180_000);
  const bench = new KitBench();
  const start = (options: TestEngineOptions): Promise<TestEngine> => bench.start(options);
  afterEach(() => bench.end());

  describe('http', () => {
    const echo = step({ name: 'Echo', triggers: [http('POST', '/echo/:id', { bodySchema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } })] },
      async ({ body, pathParams, queryParams, headers }) => ({ status: 200, body: { body, pathParams, queryParams, x: headers['x-one'] }, headers: { 'x-two': '2' } }));
    const raw = step({ name: 'Raw', triggers: [http('PUT', '/raw')] }, async ({ body, headers }) => ({ status: 200, body: { type: headers['content-type'], body } }));

    it('answers as the application would, with its trace', async () => {
      const app = await start({ steps: steps(echo) });
      const answer = await app.http('post', '/echo/a%20b', { body: { n: 1 }, query: { q: 'x y', many: ['a', 'b'], left: undefined }, headers: { 'X-One': '1' } });
      expect(answer.status).to.equal(200);
      expect(answer.body).to.deep.equal({ body: { n: 1 }, pathParams: { id: 'a b' }, queryParams: { q: 'x y', many: 'b' }, x: '1' });
      expect(answer.headers['x-two']).to.equal('2');
      expect(answer.traceId).to.match(/^[0-9a-f]{32}$/);
      expect(app.spans(answer.traceId).map(({ name }) => name)).to.include('POST /echo/:id');
    });

    it('validates, refuses and knows its routes', async () => {
      const app = await start({ steps: steps(echo) });
      const invalid = await app.http('POST', '/echo/1', { body: { n: 'one' } });
      expect([invalid.status, invalid.body.code, invalid.body.issues[0].path]).to.deep.equal([400, 'validation_failed', 'n']);
      expect((await app.http('GET', '/echo/1')).status).to.equal(405);
      expect((await app.http('GET', '/nothing')).status).to.equal(404);
      expect((await failure(app.http('GET', 'nothing'))).message).to.equal('the path of a request begins with "/", got "nothing"');
    });

    it('sends text, bytes and forms as they are, and reads what comes', async () => {
      const none = step({ name: 'None', triggers: [http('DELETE', '/none')] }, async () => ({ status: 204 }));
      const text = step({ name: 'Text', triggers: [http('GET', '/text')] }, async () => ({ status: 200, body: 'hello' }));
      const app = await start({ steps: steps(raw, none, text) });
      expect((await app.http('PUT', '/raw', { body: 'plain' })).body).to.deep.equal({ type: 'text/plain; charset=utf-8', body: 'plain' });
      expect((await app.http('PUT', '/raw', { body: new URLSearchParams({ a: '1' }) })).body.body).to.deep.equal({ a: '1' });
      expect((await app.http('PUT', '/raw', { body: '{"a":1}', headers: { 'content-type': 'application/json' } })).body.body).to.deep.equal({ a: 1 });
      const answer = await app.http('DELETE', '/none');
      expect([answer.status, answer.body]).to.deep.equal([204, undefined]);
      expect((await app.http('GET', '/text')).body).to.equal('hello');
    });
  });

  describe('messages', () => {
    const place = step({ name: 'Place', triggers: [http('POST', '/orders')], enqueues: ['order.placed'] }, async ({ body }, { enqueue, logger }) => {
      logger.info('placed', { order: body });
      await enqueue({ topic: 'order.placed', data: body, headers: { from: 'test' } });
      return { status: 202 };
    });
    const pack = step({ name: 'Pack', triggers: [queue('order.placed')], enqueues: ['order.packed'] }, async (input, { enqueue }) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      await enqueue({ topic: 'order.packed', data: input });
    });
    const ship = step({ name: 'Ship', triggers: [queue('order.packed')] }, async (input, { state: store }) => {
      await store.set('shipped', String((input as { n: number }).n), input);
    });

    it('run until nothing is caused any more, in one trace', async () => {
      const app = await start({ steps: steps(place, pack, ship) });
      const { traceId } = await app.http('POST', '/orders', { body: { n: 7 } });
      await app.untilIdle();
      expect(await app.state.get('shipped', '7')).to.deep.equal({ n: 7 });
      expect(app.messages().map(({ topic, data, traceId: trace }) => [topic, data, trace])).to.deep.equal([['order.placed', { n: 7 }, traceId], ['order.packed', { n: 7 }, traceId]]);
      expect(app.messages('order.placed')[0]?.headers).to.deep.equal({ from: 'test' });
      expect(app.logs({ step: 'Place', level: 'info' }).map(({ message, fields }) => [message, fields])).to.deep.equal([['placed', { order: { n: 7 } }]]);
      // Strict comparisons of other libraries look at prototypes as well.
      deepStrictEqual(app.logs({ step: 'Place' })[0]?.fields, { order: { n: 7 } });
      expect(app.logs({ level: 'error' })).to.deep.equal([]);
    });

    it('may come from the test, many at once', async () => {
      const app = await start({ steps: steps(pack, ship) });
      await Promise.all(Array.from({ length: 200 }, (_, n) => app.enqueue('order.placed', { n })));
      await app.untilIdle();
      expect((await app.state.list('shipped', { limit: 1000 })).items).to.have.length(200);
    });

    it('are captured once with a dedupeKey, which is forgotten after 24 hours', async () => {
      const app = await start({ steps: steps(ship) });
      const send = (): Promise<{ messageId: string }> => app.enqueue('order.packed', { n: 1 }, { dedupeKey: 'k' });
      const first = await send();
      expect(await send()).to.deep.equal(first);
      await app.clock.advance(24 * 3_600_000);
      expect(await send()).not.to.deep.equal(first);
      expect(app.messages('order.packed')).to.have.length(2);
    });

    it('tell their handler who they are, by the engine\'s time', async () => {
      const seen: unknown[] = [];
      const tell = step({ name: 'Tell', triggers: [queue('t')] }, (_input, { message, now, attempt }) => {
        seen.push({ ...message, now: now() });
        if (attempt === 1) throw new RetryAfter(1_000);
      });
      const app = await start({ steps: steps(tell), now: at('2026-03-01T00:00:00Z') });
      const { messageId } = await app.enqueue('t', 1, { headers: { a: 'b' } });
      await app.untilIdle();
      await app.clock.advance(1_000);
      const facts = { id: messageId, topic: 't', headers: { a: 'b' }, enqueuedAt: at('2026-03-01T00:00:00Z') };
      expect(seen).to.deep.equal([{ ...facts, attempt: 1, now: at('2026-03-01T00:00:00Z') }, { ...facts, attempt: 2, now: at('2026-03-01T00:00:01Z') }]);
    });

    it('are forgotten by reset(), with all that is stored or recorded, and the clock goes back', async () => {
      const app = await start({ steps: steps(ship), now: at('2026-03-01T00:00:00Z') });
      await app.enqueue('order.packed', { n: 1 });
      await app.enqueue('order.packed', { n: 2 }, { delayMs: 60_000 });
      await app.untilIdle();
      await app.clock.advance(1_000);
      expect(await app.state.get('shipped', '1')).to.deep.equal({ n: 1 });
      await app.reset();
      expect([await app.state.get('shipped', '1'), app.messages(), app.logs(), await app.deadLetters()]).to.deep.equal([null, [], [], []]);
      expect(app.clock.now()).to.equal(at('2026-03-01T00:00:00Z'));
      await app.clock.advance(120_000);
      expect(await app.state.get('shipped', '2')).to.equal(null);
      await app.enqueue('order.packed', { n: 3 });
      await app.untilIdle();
      expect(await app.state.get('shipped', '3')).to.deep.equal({ n: 3 });
      await app.stop();
      expect(await app.reset().catch((error: unknown) => (error as Error).message)).to.equal('the test engine was stopped');
    });

    it('wait for their time', async () => {
      // As clocks of other programs tell it.
      const app = await start({ steps: steps(ship), now: at('2026-03-01T00:00:00Z') + 0.25 });
      expect((await app.enqueue('left', 0)).messageId).not.to.contain('undefined');
      await app.enqueue('order.packed', { n: 1 }, { delayMs: 60_000 });
      await app.enqueue('order.packed', { n: 2 }, { at: new Date('2026-03-01T00:02:00Z') });
      await app.untilIdle();
      await app.clock.advance(59_999);
      expect(await app.state.get('shipped', '1')).to.equal(null);
      await app.clock.advance(1);
      expect([await app.state.get('shipped', '1'), await app.state.get('shipped', '2')]).to.deep.equal([{ n: 1 }, null]);
      await app.clock.advance(60_000);
      expect(await app.state.get('shipped', '2')).to.deep.equal({ n: 2 });
      expect(app.messages('order.packed').map(({ dueAt }) => dueAt)).to.deep.equal([at('2026-03-01T00:01:00Z'), at('2026-03-01T00:02:00Z')]);
      expect(app.clock.now()).to.equal(at('2026-03-01T00:02:00Z'));
    });

    it('are tried again with back-off, and end as dead letters', async () => {
      const attempts: number[] = [];
      const flaky = step({ name: 'Flaky', triggers: [queue('work', { config: { maxAttempts: 3, backoff: { type: 'fixed', delayMs: 10_000, jitter: 0 } } })] },
        async (_input, { attempt }) => {
          attempts.push(attempt);
          throw new Error(`no ${attempt}`);
        });
      const app = await start({ steps: steps(flaky) });
      await app.enqueue('work', { n: 1 });
      await app.untilIdle();
      await app.clock.advance(9_999);
      expect(attempts).to.deep.equal([1]);
      await app.clock.advance(1);
      expect(attempts).to.deep.equal([1, 2]);
      expect(await app.deadLetters()).to.deep.equal([]);
      await app.clock.advance(10_000);
      const [letter] = await app.deadLetters({ step: 'Flaky' });
      expect(letter).to.deep.include({ step: 'Flaky', topic: 'work', data: { n: 1 }, reason: 'max_attempts', attempts: 3 });
      expect(letter?.errors.map(({ message }) => message)).to.deep.equal(['no 1', 'no 2', 'no 3']);
      expect(app.logs({ level: 'error' }).map(({ step: name }) => name)).to.include('Flaky');
    });

    it('are held by a rate limit until the clock moves', async () => {
      const seen: unknown[] = [];
      const slow = step({ name: 'Slow', triggers: [queue('work', { config: { rateLimit: { max: 1, perMs: 1000 } } })] }, async (input) => void seen.push(input));
      const app = await start({ steps: steps(slow) });
      for (const n of [1, 2, 3]) await app.enqueue('work', n);
      await app.untilIdle();
      expect(seen).to.deep.equal([1]);
      await app.clock.advance(2_000);
      expect(seen).to.deep.equal([1, 2, 3]);
    });
  });

  describe('state and streams', () => {
    it('expire and set off triggers, in chains', async () => {
      const seen: string[] = [];
      const first = step({ name: 'First', triggers: [state({ group: 'a' })] }, async ({ key }, { state: store }) => void await store.set('b', key, 1));
      const second = step({ name: 'Second', triggers: [state({ group: 'b' })] }, async ({ key }) => void seen.push(key));
      const app = await start({ steps: steps(first, second) });
      await app.state.set('a', 'k', { v: 1 }, { ttlMs: 5_000 });
      await app.untilIdle();
      expect(seen).to.deep.equal(['k']);
      await app.clock.advance(4_999);
      expect(await app.state.getEntry('a', 'k')).to.deep.equal({ key: 'k', value: { v: 1 }, revision: 1 });
      await app.clock.advance(1);
      expect(await app.state.get('a', 'k')).to.equal(null);
    });

    it('come with the files of the application, which keep one instance with those of the test', async () => {
      const root = bench.folder({
        'steps/board.stream.ts': "export const config = { name: 'board', schema: { type: 'object', required: ['n'] } } as const;",
        'src/seen.ts': 'export const seen: string[] = [];',
        'steps/a.step.ts': `import { step, http } from 'treadle';\nimport { seen } from '../src/seen.js';
          export default step({ name: 'A', triggers: [http('POST', '/a')] }, async ({ body }, { streams }) => {
            seen.push('a'); await streams['board']!.set('g', 'i', body); await streams['board']!.send({ groupId: 'g' }, { type: 'ping', data: 1 });
            return { status: 204 }; });`,
        'steps/b_step.py': 'config = {}\n', 'config.yaml': 'modules:\n  - class: modules::http::HttpModule\n    config: { port: 4999, body_limit_bytes: 20 }\n',
      });
      const warnings: string[] = [];
      const listen = ({ message }: Error): void => void warnings.push(message);
      process.on('warning', listen);
      const app = await start({ root });
      await (await start({ root })).stop();
      await new Promise((resolve) => setImmediate(resolve));
      process.off('warning', listen);
      expect(app.notServed).to.deep.equal(['steps/b_step.py']);
      expect(warnings.filter((text) => text.includes('not run'))).to.have.length(1);
      expect(warnings.join()).to.contain('not run: steps/b_step.py. Test Python Steps with treadle.testing');
      expect((await app.http('POST', '/a', { body: { n: 1 } })).status).to.equal(204);
      expect(await app.streams['board']?.list('g')).to.deep.equal([{ n: 1, id: 'i' }].map(({ n }) => ({ n })));
      expect(app.streamEvents('board')).to.deep.equal([{ stream: 'board', groupId: 'g', type: 'ping', data: 1 }]);
      expect((await app.http('POST', '/a', { body: { n: 'x'.repeat(30) } })).status).to.equal(413);
      expect(new URL(app.url('http')).port).not.to.equal('4999');
      expect((await import(`${root}/src/seen.ts`) as { seen: string[] }).seen).to.deep.equal(['a']);
      expect(readdirSync(root).sort()).to.deep.equal(['config.yaml', 'data', 'node_modules', 'package.json', 'src', 'steps']);
    });
  });

  describe('cron', () => {
    const ticks: string[] = [];
    const daily = step({ name: 'Daily', triggers: [cron('0 9 * * *', { timezone: 'Europe/Berlin' })] }, async ({ scheduledAt }) => {
      ticks.push(scheduledAt);
      if (scheduledAt.startsWith('2030')) throw new NonRetryableError('not yet');
    });
    beforeEach(() => void ticks.splice(0));

    it('ticks as the clock moves, over a change to summer time', async () => {
      const app = await start({ steps: steps(daily), now: at('2026-03-27T12:00:00Z') });
      await app.clock.advance(72 * 3_600_000);
      expect(ticks).to.deep.equal(['2026-03-28T08:00:00.000Z', '2026-03-29T07:00:00.000Z', '2026-03-30T07:00:00.000Z']);
    });

    it('runs by hand for any time, and tells the end', async () => {
      const app = await start({ steps: steps(daily) });
      expect((await app.cron('Daily', { at: new Date('2026-05-01T07:00:00Z') })).status).to.equal('succeeded');
      const failed = await app.cron('Daily', { at: at('2030-01-01T00:00:00Z') });
      expect([failed.status, failed.error]).to.deep.equal(['failed', 'NonRetryableError: not yet']);
      expect(ticks).to.deep.equal(['2026-05-01T07:00:00.000Z', '2030-01-01T00:00:00.000Z']);
      expect((await app.cron('Daily', { trigger: '0 9 * * *' })).status).to.equal('succeeded');
      expect((await app.cron('Daily')).traceId).to.match(/^[0-9a-f]{32}$/);
      expect((await failure(app.cron('Nightly'))).message).to.equal('no cron trigger of a Step "Nightly"; there are "Daily" (0 9 * * * Europe/Berlin)');
    });
  });
});
