import { type CronRun, DRAIN_GRACE_MS, LAST_WORD_MS, StepFailure } from '@treadle/api';
import { expect } from 'chai';
import { changed, DAY, HOUR, type Life, MINUTE, SECOND, World } from './cron.fixture.js';

const START = '2026-01-01T00:00:00Z';
const lost = (): StepFailure => new StepFailure('worker_lost', 'the worker died', { workerDied: true });

describe('runs of cron triggers', function () {
  this.timeout(180_000);
  let world: World;
  const open = async (options?: { durable?: boolean }): Promise<Life> => {
    world = await World.at(START, options);
    return world.life();
  };
  afterEach(() => world.end());

  it('skips ticks while the run before goes on', async () => {
    const life = await open();
    life.bind({ expression: '* * * * *' });
    life.hub.reply = () => undefined;
    const told: string[] = [];
    life.service.observer = ({ status }) => void told.push(status);
    await world.clock.advance(2 * MINUTE + SECOND);
    life.hub.settle(life.hub.starts[0], 'ok');
    await world.clock.advance(MINUTE);
    expect(life.hub.ticks()).to.deep.equal(['2026-01-01T00:01:00Z', '2026-01-01T00:03:00Z']);
    expect(await life.statuses()).to.deep.equal(['2026-01-01T00:01:00Z succeeded', '2026-01-01T00:02:00Z skipped', '2026-01-01T00:03:00Z running']);
    expect(told).to.deep.equal(['skipped', 'succeeded']);
  });

  it('lets one tick wait with queue, and skips the others', async () => {
    const life = await open();
    life.bind({ expression: '* * * * *', overlap: 'queue' });
    life.hub.reply = () => undefined;
    await world.clock.advance(3 * MINUTE + SECOND);
    expect(life.hub.ticks()).to.deep.equal(['2026-01-01T00:01:00Z']);
    life.hub.settle(life.hub.starts[0], 'ok');
    await world.clock.advance(SECOND);
    expect(life.hub.ticks()).to.deep.equal(['2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z']);
    expect((await life.statuses())[2]).to.equal('2026-01-01T00:03:00Z skipped');
  });

  it('runs ticks beside each other with allow, each Step for itself', async () => {
    const life = await open();
    life.bind({ expression: '* * * * *', overlap: 'allow' });
    life.bind({ expression: '* * * * *' }, 'other');
    life.hub.reply = () => undefined;
    await world.clock.advance(3 * MINUTE + SECOND);
    expect(life.hub.starts.map(({ request }) => request.step).sort()).to.deep.equal(['other', 'report', 'report', 'report']);
  });

  it('keeps its hold of a run that takes long', async () => {
    const life = await open();
    life.bind({ expression: '0 * * * *', timeoutMs: DAY });
    life.hub.reply = () => undefined;
    await world.clock.advance(HOUR + 10 * MINUTE);
    expect(await world.life(1).adapter.orphans()).to.deep.equal([]);
    expect(life.hub.ticks()).to.deep.equal(['2026-01-01T01:00:00Z']);
  });

  const ends: readonly (readonly [string, 'ok' | StepFailure, Partial<CronRun>])[] = [
    ['ok', 'ok', { status: 'succeeded' }],
    ['condition_not_met', new StepFailure('condition_not_met', 'no'), { status: 'succeeded' }],
    ['unhandled_exception', new StepFailure('unhandled_exception', 'no table', { errorName: 'SqlError' }), { status: 'failed', error: 'SqlError: no table' }],
    ['handler_timeout', new StepFailure('handler_timeout', 'took too long'), { status: 'failed', error: 'handler_timeout: took too long' }],
    ['validation_failed', new StepFailure('validation_failed', 'bad'), { status: 'failed', error: 'validation_failed: bad' }],
  ];
  for (const [name, answer, run] of ends) {
    it(`ends as ${run.status ?? ''} by ${name}, without another attempt`, async () => {
      const life = await open();
      life.bind({ expression: '0 * * * *' });
      life.hub.reply = () => undefined;
      await world.clock.advance(HOUR);
      await world.clock.advance(1_500);
      life.hub.settle(life.hub.starts[0], answer);
      await world.clock.advance(10 * MINUTE);
      expect(life.hub.starts).to.have.length(1);
      expect((await life.runs())[0]).to.include({ durationMs: 1_500, attempt: 1, ...run });
    });
  }

  it('is logged in its trace, under its Step and with the stack when it fails', async () => {
    const life = await open();
    life.bind({ expression: '0 * * * *' });
    life.hub.reply = () => new StepFailure('unhandled_exception', 'no table', { errorName: 'SqlError', stack: 'SqlError: no table\n    at steps/report.step.ts:3:9' });
    await world.clock.advance(HOUR + MINUTE);
    const request = life.hub.starts[0]?.request;
    expect(life.log.lines.find(({ message }) => message === 'cron run failed')?.fields).to.include({
      stepName: 'report', traceId: request?.traceId, spanId: request?.spanId, stack: 'SqlError: no table\n    at steps/report.step.ts:3:9', error: 'SqlError: no table',
    });
  });

  it('begins again with the same tick when its worker dies, five times at most', async () => {
    const life = await open();
    life.bind({ expression: '0 * * * *' });
    life.hub.reply = ({ request }) => (request.attempt < 3 ? lost() : 'ok');
    await world.clock.advance(HOUR + MINUTE);
    expect(life.hub.ticks()).to.deep.equal(['2026-01-01T01:00:00Z', '2026-01-01T01:00:00Z #2', '2026-01-01T01:00:00Z #3']);
    expect(new Set(life.hub.starts.map(({ request }) => request.traceId)).size).to.equal(1);
    life.hub.reply = lost;
    await world.clock.advance(HOUR);
    expect(life.hub.starts).to.have.length(8);
    expect((await life.runs()).map(({ status, attempt }) => [status, attempt])).to.deep.equal([['succeeded', 3], ['abandoned', 5]]);
    expect(life.log.lines.map(({ message }) => message)).to.deep.equal(['cron run abandoned']);
  });

  it('waits for a worker as long as it takes, and that is no attempt', async () => {
    const life = await open();
    life.bind({ expression: '0 * * * *' });
    life.hub.workers = 0;
    await world.clock.advance(HOUR + 30 * MINUTE);
    expect(life.hub.starts).to.have.length(0);
    expect(await life.statuses()).to.deep.equal(['2026-01-01T01:00:00Z running']);
    life.hub.serve(1);
    await world.clock.advance(SECOND);
    expect(life.hub.ticks()).to.deep.equal(['2026-01-01T01:00:00Z']);
    expect(life.hub.starts[0]?.request.input).to.include({ scheduledAt: '2026-01-01T01:00:00.000Z', firedAt: '2026-01-01T01:30:00.000Z' });
    expect(await life.statuses()).to.deep.equal(['2026-01-01T01:00:00Z succeeded']);
  });

  it('tries again when every worker was busy', async () => {
    const life = await open();
    life.bind({ expression: '0 * * * *' });
    let busy = 3;
    life.hub.reply = () => (busy-- > 0 ? new StepFailure('overloaded', 'busy') : 'ok');
    await world.clock.advance(HOUR + MINUTE);
    expect((await life.runs())[0]).to.include({ status: 'succeeded', attempt: 1 });
  });

  it('waits for its runs when it drains, and lets no tick come', async () => {
    const life = await open();
    life.bind({ expression: '* * * * *' });
    life.hub.reply = () => undefined;
    await world.clock.advance(MINUTE + SECOND);
    const drained = life.service.drain(new AbortController().signal).then(() => 'drained');
    await world.clock.advance(5 * MINUTE);
    expect(await Promise.race([drained, Promise.resolve('waits')])).to.equal('waits');
    life.hub.settle(life.hub.starts[0], 'ok');
    expect(await drained).to.equal('drained');
    expect(life.hub.starts).to.have.length(1);
    expect((await world.life(1).adapter.runs({ step: 'report', trigger: '* * * * * UTC' }, 9)).map(({ status }) => status)).to.deep.equal(['succeeded']);
  });

  it('has written in the grace of a drain what its handlers answered last', async () => {
    let isSlow = false;
    world = await World.at(START);
    const life = world.life(0, (adapter) => changed(adapter, {
      finish: async (runs) => {
        if (isSlow) await new Promise<void>((resolve) => void world.clock.after(120, resolve));
        await adapter.finish(runs);
      },
    }));
    life.bind({ expression: '0 * * * *' });
    life.hub.reply = () => undefined;
    await world.clock.advance(HOUR + SECOND);
    isSlow = true;
    const { cancel } = life.hub;
    life.hub.cancel = (request) => void world.clock.after(LAST_WORD_MS, () => cancel.call(life.hub, request));
    let isDrained = false;
    void life.service.drain(AbortSignal.abort()).then(() => { isDrained = true; });
    await world.clock.advance(DRAIN_GRACE_MS - 1);
    expect([isDrained, (await life.adapter.orphans()).map(({ attempt }) => attempt)]).to.deep.equal([true, [1]]);
  });

  it('gives back at the deadline what runs, as cut, and what has not begun, as never begun', async () => {
    const life = await open({ durable: true });
    life.bind({ expression: '0 * * * *', overlap: 'queue' });
    life.hub.reply = () => undefined;
    await world.clock.advance(2 * HOUR + SECOND);
    await life.service.drain(AbortSignal.abort());
    await life.stop();
    await world.restart({ downMs: 10 * SECOND });
    const next = world.life();
    next.bind({ expression: '0 * * * *', overlap: 'queue' });
    await world.clock.advance(SECOND);
    expect(next.hub.ticks()).to.deep.equal(['2026-01-01T01:00:00Z #2', '2026-01-01T02:00:00Z']);
    expect(await next.statuses()).to.deep.equal(['2026-01-01T01:00:00Z succeeded', '2026-01-01T02:00:00Z succeeded']);
  });

  it('loses no run over many restarts without a worker', async () => {
    let life = await open({ durable: true });
    life.bind({ expression: '0 1 1 1 *' });
    life.hub.workers = 0;
    await world.clock.advance(HOUR + SECOND);
    for (let count = 0; count < 8; count += 1) {
      await life.stop();
      await world.restart();
      life = world.life();
      life.bind({ expression: '0 1 1 1 *' });
      life.hub.workers = 0;
      await world.clock.advance(SECOND);
    }
    life.hub.serve(1);
    await world.clock.advance(SECOND);
    expect(life.hub.ticks()).to.deep.equal(['2026-01-01T01:00:00Z']);
  });

  it('takes runs over from an engine that was killed, at once, and gives them up after the fifth time', async () => {
    let life = await open({ durable: true });
    const starts: string[] = [];
    life.bind({ expression: '0 1 1 1 *' });
    life.hub.reply = () => undefined;
    await world.clock.advance(HOUR + SECOND);
    for (let count = 0; count < 6; count += 1) {
      starts.push(...life.hub.ticks());
      life.kill();
      await world.restart();
      life = world.life();
      life.bind({ expression: '0 1 1 1 *' });
      life.hub.reply = () => undefined;
      await world.clock.advance(SECOND);
    }
    expect(starts).to.deep.equal(['', ' #2', ' #3', ' #4', ' #5'].map((attempt) => `2026-01-01T01:00:00Z${attempt}`));
    expect((await life.runs())[0]).to.include({ status: 'abandoned', attempt: 5, error: 'it was cut 5 times' });
  });

  it('counts no attempt for what waited for its turn when the engine was killed, however often', async () => {
    let life = await open({ durable: true });
    life.bind({ expression: '0 * * * *', overlap: 'queue' });
    life.hub.reply = () => undefined;
    await world.clock.advance(2 * HOUR + SECOND);
    for (let count = 0; count < 3; count += 1) {
      life.kill();
      await world.restart();
      life = world.life();
      life.bind({ expression: '0 * * * *', overlap: 'queue' });
      life.hub.reply = () => undefined;
      await world.clock.advance(SECOND);
    }
    life.hub.settle(life.hub.starts[0], 'ok');
    await world.clock.advance(SECOND);
    expect(life.hub.ticks()).to.deep.equal(['2026-01-01T01:00:00Z #4', '2026-01-01T02:00:00Z']);
  });

  for (const [what, reply] of [['no worker was there', undefined], ['every worker was busy', new StepFailure('overloaded', 'busy')]] as const) {
    it(`counts no attempt when the engine was killed while ${what}, however often`, async () => {
      let life = await open({ durable: true });
      for (let count = 0; count < 7; count += 1) {
        if (count > 0) {
          life.kill();
          await world.restart({ downMs: SECOND });
          life = world.life();
        }
        life.hub.workers = reply ? 1 : 0;
        life.hub.reply = () => reply;
        life.bind({ expression: '0 1 1 1 *' });
        await world.clock.advance(count === 0 ? HOUR + SECOND : 2 * SECOND);
      }
      life.hub.reply = () => 'ok';
      life.hub.serve(1);
      await world.clock.advance(10 * SECOND);
      expect(life.hub.ticks().at(-1)).to.equal('2026-01-01T01:00:00Z');
      expect((await life.runs())[0]).to.include({ status: 'succeeded', attempt: 1 });
    });
  }

  it('keeps a run for a Step that is not there, and gives it up when the Step has lost the trigger', async () => {
    let life = await open({ durable: true });
    life.bind({ expression: '0 1 1 1 *' });
    life.hub.reply = () => undefined;
    await world.clock.advance(HOUR + SECOND);
    life.kill();
    await world.restart({ downMs: DAY });
    life = world.life();
    await world.clock.advance(HOUR);
    expect(await life.adapter.orphans()).to.have.length(1);
    life.hub.step = () => ({ id: 'report' }) as never;
    await world.clock.advance(MINUTE);
    expect(await life.adapter.orphans()).to.have.length(0);
    expect((await life.adapter.runs({ step: 'report', trigger: '0 1 1 1 * UTC' }, 1))[0]).to.include({ status: 'abandoned', error: 'its Step no longer has this trigger' });
  });

  it('gives a run up to whoever has taken it over meanwhile', async () => {
    world = await World.at(START);
    const life = world.life(0, (adapter) => changed(adapter, { renew: () => Promise.reject(new Error('cut off')) }));
    life.bind({ expression: '0 * * * *' });
    life.hub.reply = () => undefined;
    await world.clock.advance(HOUR);
    const other = world.life(1);
    other.bind({ expression: '0 * * * *' });
    await world.clock.advance(31 * SECOND);
    expect(other.hub.ticks()).to.deep.equal(['2026-01-01T01:00:00Z #2']);
    life.hub.settle(life.hub.starts[0], new StepFailure('unhandled_exception', 'late'));
    await world.clock.advance(SECOND);
    expect((await other.runs())[0]).to.include({ status: 'succeeded', attempt: 2 });
  });
});
