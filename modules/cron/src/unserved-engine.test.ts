import { StepFailure } from '@treadle/api';
import { expect } from 'chai';
import { HOUR, type Life, MINUTE, SECOND, World } from './cron.fixture.js';

describe('a cron trigger of several engines, of which one has no worker', function () {
  this.timeout(180_000);
  let world: World;
  afterEach(() => world.end());

  const two = async (trigger: Parameters<Life['bind']>[0]): Promise<readonly [Life, Life]> => {
    world = await World.at('2026-01-01T00:00:00Z', { engines: 'two' });
    const lives = [world.life(0), world.life(1)] as const;
    for (const one of lives) one.bind(trigger);
    await world.clock.advance(SECOND);
    return lives;
  };
  const minutes = (count: number): string[] => Array.from({ length: count }, (_, index) => `2026-01-01T00:${String(index + 1).padStart(2, '0')}:00Z`);

  for (const overlap of ['skip', 'queue', 'allow'] as const) for (const without of [0, 1]) {
    it(`has each tick run by the other one at its time, with ${overlap} (${without === 0 ? 'the first' : 'the second'} has none)`, async () => {
      const lives = await two({ expression: '* * * * *', overlap });
      const served = lives[1 - without] ?? expect.fail('no engine');
      lives[without]?.hub.serve(0);
      await world.clock.advance(10 * MINUTE - SECOND);
      expect(served.hub.ticks()).to.deep.equal(minutes(10));
      expect((await served.runs()).map(({ status, firedAt, scheduledAt }) => [status, firedAt - scheduledAt])).to.deep.equal(minutes(10).map(() => ['succeeded', 0]));
    });

    it(`has each second's tick run by the other one, with ${overlap} (${without === 0 ? 'the first' : 'the second'} has none)`, async () => {
      const lives = await two({ expression: '* * * * * *', overlap, missed: 'all' });
      const served = lives[1 - without] ?? expect.fail('no engine');
      lives[without]?.hub.serve(0);
      await world.clock.advance(30 * SECOND);
      const ticks = served.hub.ticks().filter((tick) => tick > '2026-01-01T00:00:01Z');
      expect(ticks).to.have.length(30);
      expect((await served.runs()).filter(({ status, attempt }) => status !== 'succeeded' || attempt !== 1)).to.deep.equal([]);
    });
  }

  it('goes on at the other one when the worker goes while its handler runs, or while a run waits for its turn', async () => {
    const [first, second] = await two({ expression: '* * * * *', overlap: 'queue' });
    first.hub.reply = second.hub.reply = () => undefined;
    await world.clock.advance(2 * MINUTE);
    const owner = first.hub.starts.length > 0 ? first : second;
    const other = owner === first ? second : first;
    const [cut] = owner.hub.starts;
    owner.hub.serve(0);
    owner.hub.settle(cut, new StepFailure('worker_lost', 'the worker is gone'));
    other.hub.reply = () => 'ok';
    await world.clock.advance(MINUTE);
    expect(other.hub.ticks()).to.include.members(['2026-01-01T00:01:00Z #2', '2026-01-01T00:02:00Z', '2026-01-01T00:03:00Z']);
  });

  it('begins at the first engine that gets a worker, at once', async () => {
    const [first, second] = await two({ expression: '0 * * * *' });
    for (const { hub } of [first, second]) hub.serve(0);
    await world.clock.advance(HOUR + 10 * SECOND);
    second.hub.serve(1);
    await world.clock.advance(0);
    expect([first.hub.ticks(), second.hub.ticks()]).to.deep.equal([[], ['2026-01-01T01:00:00Z']]);
    await world.clock.advance(HOUR);
    expect([first.hub.ticks(), second.hub.ticks().at(-1), (await second.runs()).map(({ attempt }) => attempt)])
      .to.deep.equal([[], '2026-01-01T02:00:00Z', [1, 1]]);
  });

  it('takes a run that was asked for at the one that has none', async () => {
    const [first, second] = await two({ expression: '0 0 1 1 *' });
    first.hub.serve(0);
    await first.service.runNow(first.service.triggers()[0] ?? expect.fail('no trigger'));
    await world.clock.advance(MINUTE);
    expect([first.hub.starts.length, second.hub.starts.map(({ request }) => request.attempt)]).to.deep.equal([0, [1]]);
  });

  it('catches up what was missed in one place, however many there are without a worker', async () => {
    world = await World.at('2026-01-01T00:00:00Z', { engines: 'two' });
    const before = world.life(0);
    before.bind({ expression: '* * * * *', missed: 'all' });
    await world.clock.advance(SECOND);
    await before.stop();
    await world.clock.advance(20 * MINUTE);
    const [first, second] = [world.life(0), world.life(1)];
    for (const one of [first, second]) {
      one.hub.workers = 0;
      one.bind({ expression: '* * * * *', missed: 'all' });
    }
    await world.clock.advance(5 * SECOND);
    second.hub.serve(1);
    await world.clock.advance(MINUTE);
    expect(second.hub.ticks().slice(0, 20)).to.deep.equal(minutes(20));
    expect(first.hub.ticks()).to.deep.equal([]);
  });
});
