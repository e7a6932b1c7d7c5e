import type { CronAdapter } from '@treadle/api';
import { expect } from 'chai';
import { changed, HOUR, type Life, MINUTE, SECOND, World } from './cron.fixture.js';

describe('ticks that come again in two engines, when the time of their store is put back', function () {
  this.timeout(60_000);
  let world: World;
  let shifts: number[];
  beforeEach(async () => {
    shifts = [0, 0];
    world = await World.at('2026-01-01T00:00:00Z', { engines: 'two' });
  });
  afterEach(() => world.end());

  /** An engine that knows the store's time as of its last look at it. */
  const life = (user: number): Life => {
    const shared = { now: () => world.clock.now() + (shifts[user] ?? 0), onSchedules: () => () => undefined };
    const one = world.life(user, (adapter: CronAdapter) => changed(adapter, { shared }));
    one.bind({ expression: '* * * * *' });
    return one;
  };

  it('run once each time that they come, also when one engine has seen two jumps and the other one, or none', async () => {
    const lives = [life(0), life(1)];
    const ticks = (): number => lives.flatMap(({ hub }) => hub.starts).length;
    await world.clock.advance(2 * HOUR + SECOND);
    expect(ticks()).to.equal(120);
    shifts[0] = -30 * MINUTE;
    await world.clock.advance(15 * SECOND);
    shifts = [-HOUR, -HOUR];
    await world.clock.advance(20 * MINUTE);
    expect(ticks()).to.equal(140);
    await lives[1]?.stop();
    lives.push(life(1));
    await world.clock.advance(20 * MINUTE);
    expect(ticks()).to.equal(160);
    shifts = [-90 * MINUTE, -90 * MINUTE];
    await world.clock.advance(30 * MINUTE);
    expect(ticks()).to.equal(190);
  });
});
