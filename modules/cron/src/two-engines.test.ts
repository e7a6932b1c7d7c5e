import { type AdminRoutes, type CronAdapter, StepFailure } from '@treadle/api';
import { expect } from 'chai';
import { addCronRoutes } from './cron-admin.js';
import { changed, HOUR, type Life, MINUTE, SECOND, shown, World } from './cron.fixture.js';
import { randomNumbers } from './schedule/oracle.fixture.js';

/** How far the second engine's clock is ahead. */
const AHEAD_MS = 10 * MINUTE;

describe('two engines with clocks of their own over one store', function () {
  this.timeout(180_000);
  let world: World;
  beforeEach(async () => { world = await World.at('2026-01-01T00:00:00Z', { engines: 'two' }); });
  afterEach(() => world.end());

  const life = (user: number, change?: (adapter: CronAdapter) => CronAdapter): Life => {
    const one = world.life(user, change);
    one.clock.shift = user * AHEAD_MS;
    return one;
  };
  const two = (): [Life, Life] => [life(0), life(1)];
  const firstOf = ({ service }: Life) => service.triggers()[0] ?? expect.fail('no trigger');
  /** Pauses and resumes of others do not reach it. */
  const deaf = (adapter: CronAdapter): CronAdapter => changed(adapter, { shared: { now: () => world.clock.now(), onSchedules: () => () => undefined } });

  it('run each tick once, when the store shows its time', async () => {
    const lives = two();
    for (const one of lives) one.bind({ expression: '* * * * *' });
    for (let minute = 1; minute <= 8; minute += 1) {
      const minutes = (): number => lives.flatMap(({ hub }) => hub.starts).length;
      await world.clock.advance(MINUTE - 1);
      expect(minutes(), `before minute ${minute}`).to.equal(minute - 1);
      await world.clock.advance(1);
      expect(minutes(), `in minute ${minute}`).to.equal(minute);
    }
    const starts = lives.flatMap(({ hub }) => hub.starts).map(({ request }) => request.input as { scheduledAt: string; firedAt: string });
    expect(starts.map(({ scheduledAt }) => scheduledAt).sort()).to.deep.equal(Array.from({ length: 8 }, (_, index) => `2026-01-01T00:0${index + 1}:00.000Z`));
    for (const { scheduledAt, firedAt } of starts) expect(firedAt).to.equal(scheduledAt);
    expect(lives.map((one) => shown(firstOf(one).nextAt() ?? 0))).to.deep.equal(['2026-01-01T00:09:00Z', '2026-01-01T00:09:00Z']);
  });

  it('give back a tick whose claim is answered late: another engine may have it by then', async () => {
    let answer: () => void = () => undefined;
    const late = new Promise<void>((resolve) => { answer = resolve; });
    const slow = life(0, (adapter) => changed(adapter, {
      claim: async (...asked) => {
        const claimed = await adapter.claim(...asked);
        if (asked[0].some(({ status }) => status === 'running')) await late;
        return claimed;
      },
    }));
    slow.bind({ expression: '0 * * * *' });
    await world.clock.advance(HOUR + 3 * SECOND);
    answer();
    await world.clock.advance(0);
    expect(slow.hub.starts).to.have.length(0);
    await world.clock.advance(MINUTE);
    expect(slow.hub.starts.map(({ request }) => request.attempt)).to.deep.equal([1]);
  });

  it('give back an orphan that was taken over late, and run one whose answer was lost', async () => {
    const dead = life(0);
    dead.bind({ expression: '0 * * * *' });
    dead.hub.reply = () => undefined;
    await world.clock.advance(HOUR + SECOND);
    dead.kill();
    let [late, lost] = [true, true];
    const next = life(1, (adapter) => changed(adapter, {
      takeOver: async (...asked) => {
        const taken = await adapter.takeOver(...asked);
        if (taken && late) {
          late = false;
          await new Promise<void>((resolve) => void world.clock.after(3 * SECOND, resolve));
        } else if (taken && lost) {
          lost = false;
          throw new Error('no answer');
        }
        return taken;
      },
    }));
    next.bind({ expression: '0 * * * *' });
    for (let seconds = 0; seconds < 60; seconds += 1) await world.clock.advance(SECOND);
    expect([late, lost, next.hub.ticks()]).to.deep.equal([false, false, ['2026-01-01T01:00:00Z #2']]);
  });

  it('let a pause by one of them stop both, and a resume by the other start both', async () => {
    const [first, second] = two();
    for (const one of [first, second]) one.bind({ expression: '* * * * *', missed: 'all' });
    await world.clock.advance(MINUTE + SECOND);
    await first.service.setPaused(firstOf(first), true);
    await world.clock.advance(0);
    expect([firstOf(first).pause.on, firstOf(second).pause.on]).to.deep.equal([true, true]);
    await world.clock.advance(5 * MINUTE);
    await second.service.setPaused(firstOf(second), false);
    await world.clock.advance(0);
    expect([firstOf(first).pause.on, firstOf(second).pause.on]).to.deep.equal([false, false]);
    await second.stop();
    await world.clock.advance(2 * MINUTE);
    expect(await first.statuses()).to.deep.equal(['2026-01-01T00:01:00Z succeeded', '2026-01-01T00:07:00Z succeeded', '2026-01-01T00:08:00Z succeeded']);
    expect(first.hub.ticks()).to.include.members(['2026-01-01T00:07:00Z', '2026-01-01T00:08:00Z']);
  });

  it('end a pause at its time: ticks before it run nowhere and are not caught up, that at its end runs once', async () => {
    const [first, second] = [life(0), life(1, deaf)];
    for (const one of [first, second]) one.bind({ expression: '* * * * *', missed: 'all' });
    await world.clock.advance(MINUTE + SECOND);
    await first.service.setPaused(firstOf(first), true, world.clock.now() - SECOND + 4 * MINUTE);
    await world.clock.advance(2 * MINUTE);
    await first.stop();
    const third = life(0);
    third.bind({ expression: '* * * * *', missed: 'all' });
    await world.clock.advance(3 * MINUTE);
    expect(await third.statuses()).to.deep.equal(['2026-01-01T00:01:00Z succeeded', '2026-01-01T00:05:00Z succeeded', '2026-01-01T00:06:00Z succeeded']);
  });

  for (const resumed of [false, true]) it(`catch up what came after the end of a pause while no engine was there, and nothing from before it${resumed ? ', when it is resumed then' : ''}`, async () => {
    const [first] = two();
    first.bind({ expression: '* * * * *', missed: 'all' });
    await world.clock.advance(MINUTE + SECOND);
    await first.service.setPaused(firstOf(first), true, world.clock.now() - SECOND + 2 * MINUTE);
    await first.stop();
    await world.clock.advance(4 * MINUTE);
    const later = life(1);
    later.bind({ expression: '* * * * *', missed: 'all' });
    if (resumed) await later.service.setPaused(firstOf(later), false);
    await world.clock.advance(SECOND);
    expect(await later.statuses()).to.deep.equal([
      '2026-01-01T00:01:00Z succeeded', '2026-01-01T00:03:00Z succeeded', '2026-01-01T00:04:00Z succeeded', '2026-01-01T00:05:00Z succeeded',
    ]);
  });

  it('run a tick that was due when another one resumed a trigger whose pause was over', async () => {
    let away = true;
    const first = life(0);
    const second = life(1, (adapter) => changed(adapter, { claim: (...given) => (away ? Promise.reject(new Error('away')) : adapter.claim(...given)) }));
    second.bind({ expression: '* * * * *', missed: 'skip' });
    await world.clock.advance(SECOND);
    await second.service.setPaused(firstOf(second), true, world.clock.now() - SECOND + 2 * MINUTE);
    await world.clock.advance(2 * MINUTE + 5 * SECOND);
    await first.adapter.setPaused(firstOf(second).key, false, world.clock.now());
    await world.clock.advance(SECOND);
    away = false;
    await world.clock.advance(2 * SECOND);
    expect(second.hub.ticks()).to.deep.equal(['2026-01-01T00:02:00Z']);
  });

  it('skip the tick that one of them was told to skip, the other one too, and a new one after a restart', async () => {
    const lives = two();
    for (const one of lives) one.bind({ expression: '0 9,10 * * *' });
    await world.clock.advance(SECOND);
    const [first, second] = lives;
    await first.service.skipped.skipNext(firstOf(first), 'ada');
    await first.service.skipped.skipNext(firstOf(first), 'ada');
    await second.stop();
    await world.clock.advance(9 * HOUR + MINUTE);
    await first.stop();
    const third = life(1);
    third.bind({ expression: '0 9,10 * * *' });
    await world.clock.advance(24 * HOUR);
    expect(await third.statuses()).to.deep.equal(['2026-01-01T09:00:00Z skipped', '2026-01-01T10:00:00Z skipped', '2026-01-02T09:00:00Z succeeded']);
    expect(lives.flatMap(({ hub }) => hub.ticks())).to.deep.equal([]);
  });

  it('run nothing that is paused, also where word of it does not come', async () => {
    const [first, second] = [life(0), life(1, deaf)];
    for (const one of [first, second]) one.bind({ expression: '* * * * *' });
    await world.clock.advance(SECOND);
    await first.service.setPaused(firstOf(first), true);
    await world.clock.advance(5 * MINUTE);
    expect([first.hub.ticks(), second.hub.ticks()]).to.deep.equal([[], []]);
    await second.service.runNow(firstOf(second));
    expect(second.hub.starts).to.have.length(1);
    await first.service.setPaused(firstOf(first), false);
    await first.stop();
    await world.clock.advance(MINUTE);
    expect(second.hub.ticks()).to.have.length(2).and.to.include('2026-01-01T00:06:00Z');
  });

  it('show what the store knows, also where word of it does not come', async () => {
    const [first, second] = [life(0), life(1, deaf)];
    for (const one of [first, second]) one.bind({ expression: '0 * * * *' });
    await world.clock.advance(SECOND);
    await first.service.setPaused(firstOf(first), true);
    const lists: (() => Promise<unknown>)[] = [];
    const route = (path: string, handler: unknown): void => void (path === '/' && lists.push(handler as () => Promise<unknown>));
    addCronRoutes({ get: route, post: route } as unknown as AdminRoutes, () => second.service);
    expect(await lists[0]?.()).to.have.nested.property('items[0].paused', true);
  });

  it('skip a tick while a run goes on, whichever of them has it', async () => {
    const lives = two();
    for (const one of lives) {
      one.bind({ expression: '* * * * *' });
      one.hub.reply = () => undefined;
    }
    await world.clock.advance(3 * MINUTE + SECOND);
    const owner = lives.find(({ hub }) => hub.starts.length > 0);
    expect(lives.flatMap(({ hub }) => hub.starts)).to.have.length(1);
    owner?.hub.settle(owner.hub.starts[0], 'ok');
    await world.clock.advance(MINUTE);
    expect(await lives[0]?.statuses()).to.deep.equal(
      ['2026-01-01T00:01:00Z succeeded', '2026-01-01T00:02:00Z skipped', '2026-01-01T00:03:00Z skipped', '2026-01-01T00:04:00Z running']);
  });

  it('let one tick wait with queue, in whichever of them', async () => {
    const lives = two();
    for (const one of lives) {
      one.bind({ expression: '* * * * *', overlap: 'queue' });
      one.hub.reply = () => undefined;
    }
    await world.clock.advance(4 * MINUTE + SECOND);
    expect((await lives[0]?.runs())?.map(({ status }) => status)).to.deep.equal(['running', 'running', 'skipped', 'skipped']);
    for (const { hub } of lives) for (const start of hub.starts) hub.settle(start, 'ok');
    await world.clock.advance(2 * SECOND);
    expect(lives.flatMap(({ hub }) => hub.ticks())).to.deep.equal(['2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z']);
  });

  for (const seed of [1, 2, 3, 4]) {
    it(`never let runs overlap, whatever takes how long (seed ${seed})`, async () => {
      const random = randomNumbers(seed);
      const lives = two();
      let going = 0;
      let most = 0;
      let total = 0;
      for (const one of lives) {
        one.bind({ expression: '* * * * * *', ...random(2) === 0 ? {} : { overlap: 'queue' } });
        one.hub.reply = (start) => {
          total += 1;
          most = Math.max(most, going += 1);
          world.clock.after(random(4_000), () => {
            going -= 1;
            one.hub.settle(start, 'ok');
          });
          return undefined;
        };
      }
      await world.clock.advance(2 * MINUTE);
      expect(most).to.equal(1);
      expect(total).to.be.greaterThan(20);
    });
  }

  it('leave a run to the one that has its trigger when the engine of the run is gone', async () => {
    const [first, second] = two();
    first.bind({ expression: '0 1 1 1 *' });
    first.hub.reply = () => undefined;
    await world.clock.advance(HOUR + 10 * MINUTE);
    second.hub.step = () => ({ id: 'report' }) as never;
    first.kill();
    const reborn = life(0);
    await world.clock.advance(40 * SECOND);
    reborn.bind({ expression: '0 1 1 1 *' });
    await world.clock.advance(20 * SECOND);
    expect(reborn.hub.ticks()).to.deep.equal(['2026-01-01T01:00:00Z #2']);
    reborn.hub.settle(reborn.hub.starts[0], new StepFailure('unhandled_exception', 'late'));
    expect(second.log.lines).to.deep.equal([]);
  });

  it('give up a run whose trigger none of them has', async () => {
    const [first, second] = two();
    first.bind({ expression: '0 1 1 1 *' });
    first.hub.reply = () => undefined;
    await world.clock.advance(HOUR + 10 * MINUTE);
    second.hub.step = () => ({ id: 'report' }) as never;
    first.kill();
    await world.clock.advance(2 * MINUTE);
    expect(await second.adapter.orphans()).to.deep.equal([]);
    expect((await second.adapter.runs({ step: 'report', trigger: '0 1 1 1 * UTC' }, 1))[0]).to.include({ status: 'abandoned', error: 'its Step no longer has this trigger' });
  });
});
