import type { CronAdapter } from '@treadle/api';
import { expect } from 'chai';
import { changed, HOUR, type Life, SECOND, World } from '../cron.fixture.js';

describe('leases of runs, when the store was away for an engine', function () {
  this.timeout(60_000);
  let world: World;
  let away: boolean;
  beforeEach(async () => {
    away = false;
    world = await World.at('2026-01-01T00:00:00Z', { engines: 'two' });
  });
  afterEach(() => world.end());

  /** An engine with a run that goes on. */
  const holder = async (): Promise<Life> => {
    const unlessAway = (adapter: CronAdapter): Partial<CronAdapter> => ({
      renew: async (...asked) => (away ? Promise.reject(new Error('away')) : adapter.renew(...asked)),
    });
    const life = world.life(0, (adapter) => changed(adapter, unlessAway(adapter)));
    life.bind({ expression: '0 * * * *' });
    life.hub.reply = () => undefined;
    await world.clock.advance(HOUR);
    return life;
  };
  const cancelled = ({ hub }: Life): number => hub.starts.length - hub.running;

  it('are renewed within a second when it is back, and nothing is lost that nobody has taken', async () => {
    const life = await holder();
    const { adapter: other } = world.life(1);
    away = true;
    await world.clock.advance(30 * SECOND);
    expect(await other.orphans()).to.have.length(1);
    away = false;
    await world.clock.advance(SECOND);
    expect([await other.orphans(), cancelled(life)]).to.deep.equal([[], 0]);
    life.hub.settle(life.hub.starts[0], 'ok');
    await world.clock.advance(SECOND);
    expect(await life.statuses()).to.deep.equal(['2026-01-01T01:00:00Z succeeded']);
  });

  it('are lost to one that has taken the run: the handler is stopped, and the run is that one\'s to end', async () => {
    const life = await holder();
    const next = world.life(1);
    away = true;
    await world.clock.advance(16 * SECOND);
    next.bind({ expression: '0 * * * *' });
    next.hub.reply = () => undefined;
    await world.clock.advance(16 * SECOND);
    expect([next.hub.ticks(), cancelled(life)]).to.deep.equal([['2026-01-01T01:00:00Z #2'], 0]);
    away = false;
    await world.clock.advance(SECOND);
    expect([cancelled(life), cancelled(next)]).to.deep.equal([1, 0]);
    expect(life.log.lines.filter(({ message }) => message.includes('taken over'))).to.have.length(1);
    next.hub.settle(next.hub.starts[0], 'ok');
    await world.clock.advance(HOUR);
    expect((await next.statuses())[0]).to.equal('2026-01-01T01:00:00Z succeeded');
    expect([...life.hub.ticks(), ...next.hub.ticks()].filter((tick) => tick.includes('02:00'))).to.have.length(1);
  });
});
