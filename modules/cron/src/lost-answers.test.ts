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
});
