import type { CronAdapter, CronRun } from '@treadle/api';
import { expect } from 'chai';
import { changed, HOUR, type Life, MINUTE, SECOND, World } from './cron.fixture.js';

const TRIGGERS = 1_000;
/** Of the store, for each call, one after the other; milliseconds. */
const CALL_MS = 10;

describe('many cron triggers with one tick', function () {
  this.timeout(120_000);
  let world: World;
  let life: Life;
  /** Runs that were given back. */
  let givenBack: CronRun[];
  beforeEach(async () => {
    world = await World.at('2026-01-01T00:00:00Z', { engines: 'two' });
    givenBack = [];
    let free = 0;
    const answered = async <T>(result: Promise<T>): Promise<T> => {
      free = Math.max(free, world.clock.now()) + CALL_MS;
      await new Promise<void>((resolve) => void world.clock.after(free - world.clock.now(), resolve));
      return result;
    };
    life = world.life(0, (adapter: CronAdapter) => changed(adapter, {
      claim: (...asked) => answered(adapter.claim(...asked)), takeOver: (...asked) => answered(adapter.takeOver(...asked)),
      finish: (runs) => {
        givenBack.push(...runs.filter(({ status }) => status === 'running'));
        return adapter.finish(runs);
      },
    }));
    for (let index = 0; index < TRIGGERS; index += 1) life.bind({ expression: '0 1 1 1 *' }, `step${index}`);
  });
  afterEach(() => world.end());

  it('claim them a few at once, so that none seems to be answered late', async () => {
    await world.clock.advance(HOUR + MINUTE);
    expect([life.hub.starts.length, givenBack.length]).to.deep.equal([TRIGGERS, 0]);
  });

  it('take what waited up a few at once', async () => {
    await world.clock.advance(SECOND);
    life.hub.serve(0);
    await world.clock.advance(HOUR + MINUTE);
    givenBack = [];
    const [first = expect.fail('no trigger')] = life.service.triggers();
    expect((await life.adapter.running(first.key)).map(({ attempt }) => attempt)).to.deep.equal([0]);
    for (const { key: { step } } of life.service.triggers()) life.hub.serve(1, step);
    await world.clock.advance(2 * MINUTE);
    expect(life.hub.starts.filter(({ request }) => request.attempt === 1)).to.have.length(TRIGGERS);
    expect(givenBack, 'once before each is taken over').to.have.length(TRIGGERS);
  });
});
