import { expect } from 'chai';
import { NonRetryableError, queue, state, type StepContext, step } from 'treadle';
import type { TestEngine } from './index.js';
import { KitBench, steps } from './kit/kit-bench.fixture.js';

type Work = (input: unknown, ctx: StepContext) => unknown;
type Made = { readonly config: unknown };

/** A Step that is committed as a whole. */
const atomic = (work: Work, config: object = {}): Made => {
  const trigger = queue('t', { config: { maxAttempts: 2, backoff: { delayMs: 1000, jitter: 0 }, ...config } });
  return step({ name: 'Work', atomic: true, triggers: [trigger], enqueues: ['next'] } as const, async (input, ctx) => void await work(input, ctx as unknown as StepContext));
};
const next = step({ name: 'Next', triggers: [queue('next')] }, async (input, { state: store }) => {
  await store.update('next', 'seen', [{ type: 'append', value: input as number }]);
});

describe('createTestEngine, atomic Steps', function () {
  this.timeout(120_000);
  const bench = new KitBench();
  afterEach(() => bench.end());

  /** Starts it, sends messages with the numbers from 0, and waits. */
  async function done(work: Work, { count = 1, more = [] as readonly Made[] } = {}): Promise<TestEngine> {
    const app = await bench.start({ steps: steps(atomic(work), next, ...more) });
    for (let n = 0; n < count; n++) await app.enqueue('t', n);
    await app.untilIdle();
    return app;
  }

  it('store all that a handler did with its acknowledgement', async () => {
    const app = await done(async (n, { state: store, enqueue }) => {
      await store.set('g', 'a', n);
      await store.update('g', 'count', [{ type: 'increment' }]);
      await enqueue({ topic: 'next', data: n });
    });
    expect(await app.state.getEntry('g', 'count')).to.deep.include({ value: 1, revision: 1 });
    expect([await app.state.get('g', 'a'), await app.state.get('next', 'seen')]).to.deep.equal([0, [0]]);
    expect(app.messages('next').map(({ data }) => data)).to.deep.equal([0]);
  });

  it('leave nothing behind when the handler fails', async () => {
    const app = await done(async (n, { state: store, enqueue, attempt }) => {
      await store.set('g', `attempt-${attempt}`, n);
      await enqueue({ topic: 'next', data: attempt });
      if (attempt === 1) throw new Error('not yet');
    });
    expect(await app.state.list('g')).to.deep.equal({ items: [] });
    expect(app.messages('next')).to.deep.equal([]);
    await app.clock.advance(1_000);
    expect((await app.state.list('g')).items.map(({ key }) => key)).to.deep.equal(['attempt-2']);
    expect(app.messages('next').map(({ data }) => data)).to.deep.equal([2]);
  });

  it('let a handler read what it wrote, and nobody else before the end', async () => {
    const seen: unknown[] = [];
    const app: TestEngine = await bench.start({ steps: steps(atomic(async (_n, { state: store }) => {
      await store.set('g', 'b', 2);
      await store.set('g', 'c', 3);
      await store.delete('g', 'a');
      seen.push(await store.get('g', 'b'), await store.get('g', 'a'), await store.list('g'), (await store.list('g', { limit: 1 })).items, await store.listGroups());
      seen.push(await store.compareAndSet('g', 'b', 1, 20), await store.update('g', 'c', [{ type: 'increment', by: 4 }]), await store.clear('old'));
      seen.push(await app.state.get('g', 'b'), await app.state.get('g', 'a'));
    }), next) });
    await app.state.set('g', 'a', 1);
    await app.state.set('old', 'x', 1);
    await app.enqueue('t', 1);
    await app.untilIdle();
    const [b, c] = [{ key: 'b', value: 2, revision: 1 }, { key: 'c', value: 3, revision: 1 }];
    expect(seen).to.deep.equal([
      2, null, { items: [b, c] }, [b], { items: ['g', 'old'] }, { value: 20, revision: 2 }, { value: 7, revision: 2 }, 1, null, 1,
    ]);
    expect((await app.state.list('g')).items.map(({ key, value }) => [key, value])).to.deep.equal([['b', 20], ['c', 7]]);
    expect(await app.state.list('old')).to.deep.equal({ items: [] });
  });

  it('run again without an attempt when others have changed what they read', async () => {
    const attempts: number[] = [];
    const app = await done(async (_n, { state: store, attempt }) => {
      attempts.push(attempt);
      const count = await store.get<number>('g', 'count') ?? 0;
      await new Promise((resolve) => setTimeout(resolve, 5));
      await store.set('g', 'count', count + 1);
    }, { count: 10 });
    expect(await app.state.get('g', 'count')).to.equal(10);
    expect(attempts.length).to.be.greaterThan(10);
    expect(new Set(attempts)).to.deep.equal(new Set([1]));
  });

  it('fail once when others change what they read again and again', async () => {
    let runs = 0;
    const app: TestEngine = await bench.start({ steps: steps(atomic(async (_n, { state: store }) => {
      runs += 1;
      await store.get('g', 'k');
      await app.state.set('g', 'k', runs);
      await store.set('g', 'mine', runs);
    }, { maxAttempts: 1 }), next) });
    await app.enqueue('t', 1);
    for (let tries = 0; (await app.deadLetters()).length === 0 && tries < 40; tries++) {
      await app.untilIdle();
      await app.clock.advance(1_000);
    }
    expect((await app.deadLetters()).map(({ reason, attempts }) => [reason, attempts])).to.deep.equal([['max_attempts', 1]]);
    expect([runs, await app.state.get('g', 'mine')]).to.deep.equal([20, null]);
  });

  it('set off triggers by what they stored, and by nothing that they did not', async () => {
    const heard: unknown[] = [];
    const listener = step({ name: 'Listen', triggers: [state({ group: 'g' })] }, async ({ key, type }) => void heard.push([key, type]));
    const app = await done(async (n, { state: store }) => {
      await store.set('g', 'kept', n);
      await store.set('g', 'gone', n);
      await store.delete('g', 'gone');
      if (Number(n) === 1) throw new NonRetryableError('no');
    }, { count: 2, more: [listener] });
    await app.untilIdle();
    expect(heard).to.deep.equal([['kept', 'create']]);
    expect((await app.deadLetters()).map(({ reason }) => reason)).to.deep.equal(['non_retryable']);
  });

  it('write items of streams, tell of them once they are stored, and send events after that', async () => {
    const root = bench.folder({
      'steps/board.stream.ts': "export const config = { name: 'board', schema: { type: 'object', required: ['n'] } } as const;",
      'steps/put.step.ts': `import { queue, step } from 'treadle';
export default step({ name: 'Put', atomic: true, triggers: [queue('put', { config: { maxAttempts: 1 } })] }, async (n, { streams, state }) => {
  const board = streams['board']!;
  await board.set('all', 'a', { n });
  await board.set('all', 'b', { n });
  await board.delete('all', 'b');
  await board.update('all', 'a', [{ type: 'set', path: 'm', value: n }]);
  await board.send({ groupId: 'all' }, { type: 'ping', data: n });
  await state.set('seen', String(n), [await board.list('all'), await board.get('all', 'b'), (await board.listGroups()).items]);
  if (n === 2) throw new Error('no');
});
`,
    });
    const app = await bench.start({ root });
    await app.enqueue('put', 1);
    await app.untilIdle();
    await app.enqueue('put', 2);
    await app.untilIdle();
    expect(await app.streams['board']?.list('all')).to.deep.equal([{ n: 1, m: 1 }]);
    expect(app.streamEvents('board').map(({ data }) => data)).to.deep.equal([1]);
    expect(await app.state.get('seen', '1')).to.deep.equal([[{ n: 1, m: 1 }], null, ['all']]);
    expect(await app.state.get('seen', '2')).to.equal(null);
  });

  it('refuse triggers that have no acknowledgement', async () => {
    const ask = step({ name: 'Ask', atomic: true, triggers: [{ type: 'http', method: 'GET', path: '/ask' }, { type: 'cron', expression: '* * * * *' }] }, async () => ({ status: 200 }));
    const error = await bench.start({ steps: steps(ask) }).then(() => undefined, ({ message }: Error) => message);
    expect(error).to.include('STEP_NOT_ATOMIC  config.atomic: a Step with trigger kind http cannot be atomic here: a request has no acknowledgement');
    expect(error).to.include('with trigger kind cron cannot be atomic here: a run of cron is no delivery of the queue');
  });
});
