import { expect } from 'chai';
import { QueueApplication } from './queue-engine.fixture.js';

const consumer = (name: string, trigger: string, body: string, enqueues = '[]'): string => `
export const config = { name: '${name}', enqueues: ${enqueues}, triggers: [${trigger}] };
export const handler = async (input: any, ctx: any) => { ${body} };
`;
const note = (group: string, key: string, value: string): string => `await ctx.state.update('${group}', ${key}, [{ type: 'append', value: ${value} }]);`;

describe('the queue in a running engine', function () {
  this.timeout(90_000);
  let app: QueueApplication;
  afterEach(() => app.end());

  it('goes from a request through two Steps to a third, in one trace', async () => {
    app = new QueueApplication({
      order: consumer('order', `{ type: 'http', method: 'POST', path: '/orders' }`, `
        const { messageId } = await ctx.enqueue({ topic: 'orders', data: input.body });
        const batch = await ctx.enqueue([{ topic: 'orders', data: { n: 2 } }, { topic: 'orders', data: { n: 3 } }]);
        return { status: 202, body: { messageId, batch, traceId: ctx.traceId } };`, `['orders']`),
      bill: consumer('bill', `{ type: 'queue', topic: 'orders' }`, `await ctx.enqueue({ topic: 'billed', data: { ...input, trace: ctx.traceId } });`, `['billed']`),
      ship: consumer('ship', `{ type: 'queue', topic: 'orders' }`, note('ship', `String(input.n)`, 'ctx.traceId')),
      mail: consumer('mail', `{ type: 'queue', topic: 'billed' }`, note('mail', `String(input.n)`, 'ctx.traceId')),
    });
    await app.start();
    const response = await fetch(`${app.engine?.url('http')}/orders`, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ n: 1 }),
    });
    const { messageId, batch, traceId } = await response.json() as { messageId: string; batch: { messageId: string }[]; traceId: string };
    expect(response.status).to.equal(202);
    expect([messageId, ...batch.map((one) => one.messageId)]).to.have.length(3).and.satisfy((ids: string[]) => new Set(ids).size === 3);
    const all = { 1: [traceId], 2: [traceId], 3: [traceId] };
    await app.until(async () => Object.keys(await app.notes('mail')).length === 3 && Object.keys(await app.notes('ship')).length === 3, 'all to be shipped');
    expect(await app.notes('mail')).to.deep.equal(all);
    expect(await app.notes('ship')).to.deep.equal(all);
  });

  it('delivers changes of the state to Steps that listen, and cuts a loop of them', async () => {
    app = new QueueApplication({
      listen: consumer('listen', `{ type: 'state', group: 'g', prefix: 'k' }`, note('seen', `input.key`, `[input.type, input.oldValue, input.newValue, ctx.trigger.type ?? ctx.trigger]`)),
      loop: consumer('loop', `{ type: 'state', group: 'loop' }`, `await ctx.state.update('loop', 'n', [{ type: 'increment' }]);`),
    });
    await app.start();
    await app.state.set('g', 'k1', 1);
    await app.state.set('g', 'other', 1);
    await app.state.set('g', 'k1', 2);
    await app.until(async () => ((await app.notes('seen'))['k1'] as unknown[] | undefined)?.length === 2, 'the changes');
    expect(((await app.notes('seen'))['k1'] as unknown[][]).map((change) => change.slice(0, 3)).sort()).to.deep.equal([['create', null, 1], ['update', 1, 2]]);
    expect(Object.keys(await app.notes('seen'))).to.deep.equal(['k1']);
    await app.state.set('loop', 'n', 0);
    await app.until(async () => (await app.state.get('loop', 'n')) === 100, 'the loop to end');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await app.state.get('loop', 'n')).to.equal(100);
  });

  it('delivers changes of streams to Steps that listen', async () => {
    app = new QueueApplication({
      listen: consumer('listen', `{ type: 'stream', streamName: 'board', events: ['create', 'delete'] }`, note('seen', 'input.id', '[input.groupId, input.event.type, input.event.data]')),
      change: consumer('change', `{ type: 'http', method: 'POST', path: '/change' }`, `
        await ctx.streams.board.set('g', 'i', { n: 1 });
        await ctx.streams.board.set('g', 'i', { n: 2 });
        await ctx.streams.board.delete('g', 'i');
        return { status: 200 };`),
    });
    app.writeFile('board.stream.ts', `export const config = { name: 'board', schema: { type: 'object' } };`);
    await app.start();
    expect((await fetch(`${app.engine?.url('http')}/change`, { method: 'POST' })).status).to.equal(200);
    await app.until(async () => ((await app.notes('seen'))['i'] as unknown[] | undefined)?.length === 2, 'the changes');
    expect(((await app.notes('seen'))['i'] as unknown[][]).map(([group, type]) => [group, type]).sort()).to.deep.equal([['g', 'create'], ['g', 'delete']]);
  });

  it('gives up the one message of a thousand that kills its worker, after five deaths, and no other', async () => {
    app = new QueueApplication({
      work: consumer('work', `{ type: 'queue', topic: 't' }`, `
        if (input === 500) process.kill(process.pid, 'SIGKILL');
        ${note('done', 'String(input)', 'ctx.attempt')}`),
    });
    await app.start();
    await app.queue.enqueue(Array.from({ length: 1_000 }, (_one, n) => ({ topic: 't', data: n })));
    await app.until(async () => Object.keys(await app.notes('done')).length === 999, 'the others');
    await app.until(async () => (await app.letters()).length === 1, 'the dead letter');
    const [letter] = await app.letters();
    expect(letter).to.include({ data: 500, reason: 'crash_limit', attempts: 0, deaths: 5 });
    const notes = await app.notes('done');
    expect(Object.values(notes).flat().every((attempt) => attempt === 1), 'attempts of the others').to.equal(true);
    expect(notes).to.not.have.property('500');
    expect(await app.refusal('/dead-letters/:id', { params: { id: 'x' } })).to.equal('404 not_found: there is no dead letter "x"');
    expect(await app.refusal('/dead-letters', { query: { cursor: 'x' } })).to.match(/^400 invalid_argument: /);
  });

  it('keeps the order of each group through retries, crashes and restarts of the engine', async () => {
    const groups = ['a', 'b', 'c'];
    app = new QueueApplication({
      work: consumer('work', `{ type: 'queue', topic: 't', config: { type: 'fifo', backoff: { delayMs: 20, factor: 1 } } }`, `
        ${note('runs', 'input.group', 'input.n')}
        const runs = await ctx.state.get('runs', input.group);
        const times = runs.filter((n: number) => n === input.n).length;
        if (input.n % 10 === 3 && times === 1) throw new Error('again');
        if (input.n % 20 === 7 && times === 1) process.kill(process.pid, 'SIGKILL');`),
    });
    await app.start();
    for (let n = 0; n < 60; n++) {
      await app.queue.enqueue(groups.map((group) => ({ topic: 't', messageGroupId: group, data: { group, n } })));
    }
    const last = async (): Promise<number[]> => Promise.all(groups.map(async (group) => ((await app.state.get('runs', group)) as number[] | null)?.at(-1) ?? -1));
    await app.until(async () => (await last()).every((n) => n >= 20), 'the first third');
    await app.stop();
    await app.start();
    await app.until(async () => (await last()).every((n) => n === 59), 'the rest');
    for (const group of groups) {
      const runs = await app.state.get('runs', group) as number[];
      expect(runs, `group ${group} in order, each again before the next`).to.deep.equal([...runs].sort((a, b) => a - b));
      expect(new Set(runs).size).to.equal(60);
    }
    expect(await app.letters()).to.deep.equal([]);
  });

  it('answers 503 when a handler lets a full queue through, while consumption goes on', async () => {
    app = new QueueApplication({
      order: consumer('order', `{ type: 'http', method: 'POST', path: '/orders' }`, `await ctx.enqueue({ topic: 'slow', data: 1 }); return { status: 202 };`, `['slow']`),
      slow: consumer('slow', `{ type: 'queue', topic: 'slow', config: { concurrency: 1 } }`, `await new Promise((resolve) => setTimeout(resolve, 300));`),
    });
    await app.start({ config: 'max_waiting: 3' });
    const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${app.engine?.url('http')}/orders`, { method: 'POST' })));
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused).to.not.have.length(0);
    expect(refused[0]?.headers.get('retry-after')).to.equal('5');
    expect(await refused[0]?.json()).to.deep.include({ code: 'queue_full', error: 'The queue takes no more at the moment' });
    await app.until(async () => (await fetch(`${app.engine?.url('http')}/orders`, { method: 'POST' })).status === 202, 'room again');
  });

  it('hands back what runs when the engine stops, and it counts as no attempt', async () => {
    app = new QueueApplication({
      long: consumer('long', `{ type: 'queue', topic: 't' }`, `
        ${note('runs', `'r'`, 'ctx.attempt')}
        const runs = await ctx.state.get('runs', 'r');
        if (runs.length === 1) await new Promise((resolve) => setTimeout(resolve, 60000));`),
    });
    await app.start();
    await app.queue.enqueue([{ topic: 't', data: 1 }]);
    await app.until(async () => (await app.state.get('runs', 'r')) !== null, 'the first run');
    await app.stop();
    await app.start();
    await app.until(async () => ((await app.state.get('runs', 'r')) as number[]).length === 2, 'the second run');
    expect(await app.state.get('runs', 'r')).to.deep.equal([1, 1]);
  });
});
