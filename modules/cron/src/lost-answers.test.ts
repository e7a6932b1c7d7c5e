import { StepFailure } from '@treadle/api';
import { expect } from 'chai';
import { changed, HOUR, MINUTE, SECOND, World } from './cron.fixture.js';

const START = '2026-01-01T00:00:00Z';

describe('a cron trigger whose store does not answer', function () {
  this.timeout(180_000);
  let world: World;
  afterEach(() => world.end());

  it('gives nothing back late that has begun meanwhile', async () => {
    let refusals = 1;
    world = await World.at(START);
    const life = world.life(0, (adapter) => changed(adapter, { finish: (runs) => (refusals-- > 0 ? Promise.reject(new Error('away')) : adapter.finish(runs)) }));
    life.bind({ expression: '0 * * * *' });
    life.hub.reply = () => new StepFailure('overloaded', 'busy');
    await world.clock.advance(HOUR);
    life.hub.reply = () => undefined;
    life.hub.workers = 0;
    await world.clock.advance(SECOND / 2);
    life.hub.serve(1);
    await world.clock.advance(5 * SECOND);
    expect(life.hub.starts.length).to.be.lessThan(3);
    life.hub.settle(life.hub.starts.at(-1), 'ok');
    const starts = life.hub.starts.length;
    await world.clock.advance(MINUTE);
    expect([life.hub.starts.length, await life.statuses()]).to.deep.equal([starts, ['2026-01-01T01:00:00Z succeeded']]);
  });

  it('runs a tick at its time although the answer to its claim was lost', async () => {
    let isLost = true;
    world = await World.at(START);
    const life = world.life(0, (adapter) => changed(adapter, {
      claim: async (...asked) => {
        const claimed = await adapter.claim(...asked);
        if (!isLost) return claimed;
        isLost = false;
        throw new Error('no answer');
      },
    }));
    life.bind({ expression: '* * * * *' });
    await world.clock.advance(MINUTE + 2 * SECOND);
    expect(life.hub.ticks()).to.deep.equal(['2026-01-01T00:01:00Z']);
    await world.clock.advance(MINUTE);
    expect(await life.statuses()).to.deep.equal(['2026-01-01T00:01:00Z succeeded', '2026-01-01T00:02:00Z succeeded']);
  });

  it('runs a tick at its time whose claim came late and could not be given back', async () => {
    let [isLate, isAway] = [true, true];
    world = await World.at(START, { engines: 'two' });
    const life = world.life(0, (adapter) => changed(adapter, {
      claim: async (...asked) => {
        const claimed = await adapter.claim(...asked);
        if (isLate) await new Promise<void>((resolve) => void world.clock.after(3 * SECOND, resolve));
        isLate = false;
        return claimed;
      },
      finish: async (runs) => {
        if (!isAway) return adapter.finish(runs);
        isAway = false;
        throw new Error('away');
      },
    }));
    life.bind({ expression: '*/5 * * * * *' });
    for (let seconds = 0; seconds < 12; seconds += 1) await world.clock.advance(SECOND);
    expect(life.hub.ticks()).to.deep.equal(['2026-01-01T00:00:05Z', '2026-01-01T00:00:10Z']);
    expect(await life.statuses()).to.deep.equal(['2026-01-01T00:00:05Z succeeded', '2026-01-01T00:00:10Z succeeded']);
  });

  it('runs a tick that was found again although the next one could not be claimed', async () => {
    let asked = 0;
    world = await World.at(START);
    const life = world.life(0, (adapter) => changed(adapter, {
      claim: async (...given) => {
        asked += 1;
        if (asked === 3) throw new Error('away');
        const claimed = await adapter.claim(...given);
        if (asked === 1) await new Promise<void>((resolve) => void world.clock.after(5 * SECOND, resolve));
        if (asked === 1) throw new Error('no answer');
        return claimed;
      },
    }));
    life.bind({ expression: '*/5 * * * * *' });
    for (let seconds = 0; seconds < 18; seconds += 1) await world.clock.advance(SECOND);
    expect(life.hub.ticks()).to.include('2026-01-01T00:00:05Z').and.to.have.length.of.at.least(2);
    expect((await life.statuses()).filter((status) => status.endsWith('running'))).to.deep.equal([]);
  });

  for (const how of ['lost', 'late'] as const) it(`starts what somebody asked for, once, when the answer to its claim is ${how}, and its trigger goes on`, async () => {
    let isFirst = true;
    world = await World.at(START, { engines: 'two' });
    const life = world.life(0, (adapter) => changed(adapter, {
      claim: async (...asked) => {
        const claimed = await adapter.claim(...asked);
        if (!isFirst) return claimed;
        isFirst = false;
        if (how === 'lost') throw new Error('no answer');
        await new Promise<void>((resolve) => void world.clock.after(3 * SECOND, resolve));
        return claimed;
      },
    }));
    life.bind({ expression: '0 * * * * *' });
    await world.clock.advance(50 * SECOND + 1);
    const [timeline] = life.service.triggers();
    const asked = life.service.runNow(timeline ?? expect.fail('no trigger')).then(() => 'runs', ({ message }: Error) => message);
    await world.clock.advance(3 * SECOND);
    expect([await asked, life.hub.starts.length]).to.deep.equal([how === 'lost' ? 'no answer' : 'runs', 0]);
    for (let seconds = 0; seconds < 90; seconds += 1) await world.clock.advance(SECOND);
    const runs = await life.runs();
    expect(runs.filter(({ manual }) => manual).map(({ status, attempt }) => [status, attempt])).to.deep.equal([['succeeded', 1]]);
    expect(life.hub.starts.filter(({ request }) => request.attempt > 1)).to.deep.equal([]);
    expect(runs.at(-1)).to.include({ status: 'succeeded', scheduledAt: Date.parse('2026-01-01T00:02:00Z') });
  });
});
