import { StepFailure, WrittenJson } from '@treadle/api';
import { expect } from 'chai';
import { type Rig, type RigOptions, startRig, stepRecord } from '../queue-rig.fixture.js';

describe('delivery', () => {
  let rig: Rig;
  const start = async (options: RigOptions): Promise<void> => { rig = await startRig(options); };
  afterEach(async () => { await rig.test.stop(); });

  it('takes every message of a topic to every Step that consumes it, with trace, attempt and data', async () => {
    const seen: string[] = [];
    const handler = (input: unknown, { step, traceId, attempt, trigger }: { step: string; traceId: string; attempt: number; trigger: { index: number } }): void => {
      seen.push(`${step}[${trigger.index}] ${JSON.stringify(input)} ${traceId.slice(0, 4)} ${attempt}`);
    };
    await start({ steps: [stepRecord('a', ['x', 't']), stepRecord('b', ['t'])], handlers: { a: handler, b: handler } });
    const origin = { traceId: 'abcd'.repeat(8), spanId: '0'.repeat(16), sampled: true, hops: 0 };
    await rig.port.enqueue([{ topic: 't', data: { n: 1 } }, { topic: 't', data: 'two' }], origin);
    await rig.clock.advance(0);
    expect(seen.sort()).to.deep.equal(['a[1] "two" abcd 1', 'a[1] {"n":1} abcd 1', 'b[0] "two" abcd 1', 'b[0] {"n":1} abcd 1']);
    expect(await rig.admin('GET', '/')).to.have.property('items').with.lengthOf(3);
  });

  it('retries one Step alone and makes its message a dead letter in the end', async () => {
    const attempts: number[] = [];
    const done: unknown[] = [];
    await start({
      steps: [stepRecord('bad', [{ type: 'queue', topic: 't', config: { maxAttempts: 3, backoff: { jitter: 0 } } }]), stepRecord('good', ['t'])],
      handlers: {
        bad: (_input, { attempt }) => { attempts.push(attempt); throw new Error(`attempt ${attempt}`); },
        good: (input) => { done.push(input); },
      },
    });
    await rig.send('t', 1);
    await rig.clock.advance(0);
    expect([attempts, done]).to.deep.equal([[1], [1]]);
    await rig.clock.advance(999);
    expect(attempts).to.deep.equal([1]);
    await rig.clock.advance(1);
    expect(attempts).to.deep.equal([1, 2]);
    await rig.clock.advance(3000);
    expect(attempts).to.deep.equal([1, 2, 3]);
    await rig.clock.advance(1_000_000);
    expect([attempts, done]).to.deep.equal([[1, 2, 3], [1]]);
    const { items: [letter] } = await rig.admin('GET', '/dead-letters') as { items: { step: string; reason: string; errors: { message: string }[] }[] };
    expect(letter).to.include({ step: 'bad', reason: 'max_attempts', attempts: 3, deaths: 0 });
    expect(letter?.errors.map(({ message }) => message)).to.deep.equal(['attempt 1', 'attempt 2', 'attempt 3']);
  });

  it('runs no more at a time than the concurrency, and goes on when a slot is free', async () => {
    const release: (() => void)[] = [];
    await start({
      steps: [stepRecord('a', [{ type: 'queue', topic: 't', config: { concurrency: 2 } }])],
      handlers: { a: () => new Promise<void>((resolve) => void release.push(resolve)) },
    });
    for (let n = 0; n < 5; n++) await rig.send('t', n);
    await rig.clock.advance(0);
    expect(release).to.have.length(2);
    release[0]?.();
    await rig.clock.advance(0);
    expect(release).to.have.length(3);
    for (let n = 1; n < 5; n++) {
      release[n]?.();
      await rig.clock.advance(0);
    }
    expect(release).to.have.length(5);
  });

  it('counts the deliveries of all topics and changes of a Step together, and lets them take turns', async () => {
    const release: (() => void)[] = [];
    const began: string[] = [];
    await start({
      steps: [stepRecord('a', [
        { type: 'queue', topic: 't', config: { concurrency: 2 } }, { type: 'queue', topic: 'u', config: { concurrency: 1 } }, { type: 'state', group: 'g' },
      ])],
      handlers: { a: (input) => new Promise<void>((resolve) => {
        began.push(String(typeof input === 'string' ? input : 'change'));
        release.push(resolve);
      }) },
    });
    for (let n = 0; n < 4; n++) for (const topic of ['t', 'u']) await rig.send(topic, topic);
    const origin = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true, hops: 0 };
    let changes = Array.from({ length: 4 }, (_, n) => (
      { id: `c${n}`, subject: { kind: 'state', group: 'g', key: 'k' } as const, input: new WrittenJson(JSON.stringify({ type: 'create', group: 'g', key: 'k', oldValue: null, newValue: n })), bytes: 100, origin }));
    rig.port.attachChanges({
      kind: 'state', pending: async () => changes.slice(), settle: async (ids) => { changes = changes.filter(({ id }) => !ids.includes(id)); },
    });
    await rig.clock.advance(0);
    for (let ended = 0; ended < 12; ended++) {
      const running = began.slice(ended);
      expect(running.filter((topic) => topic === 'u').length, `of u running after ${ended}`).to.be.at.most(1);
      // At the end only messages of u may be left, one at a time.
      expect(running.length, `running after ${ended}`).to.be.within(ended < 8 ? 2 : 1, 2);
      release[ended]?.();
      await rig.clock.advance(0);
    }
    const sixth = began.slice(0, 6);
    expect(new Set(sixth), 'nobody waits for all of another').to.deep.equal(new Set(['t', 'u', 'change']));
    expect([...began].sort()).to.deep.equal([...Array<string>(4).fill('change'), ...Array<string>(4).fill('t'), ...Array<string>(4).fill('u')]);
  });

  it('claims nothing for a Step that no worker serves, and begins when one does', async () => {
    await start({ steps: [stepRecord('a', ['t'])] });
    await rig.send('t', 1);
    await rig.clock.advance(60_000);
    const [before] = (await rig.admin('GET', '/') as { items: object[] }).items;
    expect(before).to.include({ waiting: 1, active: 0 });
    const seen: unknown[] = [];
    rig.worker({ a: (input) => { seen.push(input); } });
    await rig.clock.advance(0);
    expect(seen).to.deep.equal([1]);
  });

  it('counts a timeout as a failed attempt and a lost connection as none', async () => {
    const attempts: number[] = [];
    const failures = [new StepFailure('handler_timeout', 'late'), new StepFailure('worker_lost', 'cut off', { workerDied: false })];
    await start({
      steps: [stepRecord('a', [{ type: 'queue', topic: 't', config: { backoffType: 'fixed', backoffDelayMs: 0 } }])],
      handlers: {
        a: (_input, { attempt }) => {
          attempts.push(attempt);
          const failure = failures.shift();
          if (failure) throw failure;
        },
      },
    });
    await rig.send('t', 1);
    await rig.clock.advance(0);
    expect(attempts).to.deep.equal([1, 2, 2]);
  });
});
