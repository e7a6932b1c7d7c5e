import type { CronAdapter, CronRun } from '@treadle/api';
import { expect } from 'chai';
import type { TickClaim } from './claim-round.js';
import { changed, MINUTE, World } from './cron.fixture.js';
import { newRun } from './runs/run-request.js';
import { Schedule } from './schedule/schedule.js';
import { MAY_OVERLAP, TickClaims } from './tick-claims.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const KEY = { step: 'report', trigger: '* * * * * UTC' };
const tick = (minute: number): CronRun => newRun({ ...KEY, scheduledAt: START + minute * MINUTE, firedAt: START, manual: false, missed: false, status: 'running' });
/** Minute and attempt of what was claimed. */
const shown = (claims: readonly TickClaim[]): unknown[] =>
  claims.flatMap(({ run: { scheduledAt, attempt }, became }) => (became === 'claimed' ? [[(scheduledAt - START) / MINUTE, attempt]] : []));

describe('claims of a trigger', () => {
  let world: World;
  let adapter: CronAdapter;
  let other: CronAdapter;
  /** Answers of claims that are lost: by how many were asked for before. */
  let lost: readonly number[];
  let claims: TickClaims;
  beforeEach(async () => {
    world = await World.at('2026-01-01T00:00:00Z', { engines: 'two' });
    let asked = 0;
    lost = [];
    adapter = changed(world.life(0).adapter, {
      claim: async (...given) => {
        const claimed = await world.life(0).adapter.claim(...given);
        if (lost.includes(asked++)) throw new Error('no answer');
        return claimed;
      },
    });
    other = world.life(1).adapter;
    claims = new TickClaims(adapter, world.clock);
    await adapter.schedules([KEY], START);
  });
  afterEach(() => world.end());

  const round = (...runs: readonly CronRun[]): Promise<unknown> => claims.round((one) => one.claim(runs, MAY_OVERLAP)).then(shown, ({ message }: Error) => message);
  /** Ticks up to the tenth minute have been, and come again. */
  const putBack = (): void => claims.repeated.putBack(Schedule.of('* * * * *', 'UTC'), { now: START, reached: START + 10 * MINUTE, records: [] });

  it('keep what was claimed when that of repetitions is lost', async () => {
    await adapter.claim([tick(1)], 1);
    putBack();
    lost = [2];
    expect(await round(tick(1), tick(2))).to.equal('no answer');
    expect(await round()).to.deep.equal([[2, 1], [1 + 1 / MINUTE, 1]]);
    expect(await round()).to.deep.equal([]);
  });

  it('repeat no tick that was found, nor one that another engine has taken up', async () => {
    putBack();
    lost = [0, 2];
    expect(await round(tick(1))).to.equal('no answer');
    expect(await round(tick(1))).to.deep.equal([[1, 1]]);
    const second = tick(2);
    expect(await round(second)).to.equal('no answer');
    await adapter.finish([{ ...second, attempt: 0 }]);
    await other.takeOver({ ...second, attempt: 0 }, 15_000);
    expect(await round(tick(2))).to.deep.equal([]);
    expect((await other.runs(KEY, 9)).map(({ scheduledAt }) => scheduledAt)).to.deep.equal([START + 2 * MINUTE, START + MINUTE]);
  });

  it('repeat a tick that has been, although its claim failed before it was stored', async () => {
    await adapter.claim([tick(1)], 1);
    putBack();
    lost = [1];
    expect(await round(tick(1))).to.equal('no answer');
    expect(await round(tick(1))).to.deep.equal([[1 + 1 / MINUTE, 1]]);
  });

  it('are lost together with those that were found before, and found again together', async () => {
    lost = [0, 1];
    expect(await round(tick(1))).to.equal('no answer');
    expect(await round(tick(2))).to.equal('no answer');
    expect(await round(tick(3))).to.deep.equal([[1, 1], [2, 1], [3, 1]]);
  });

  it('belong to one round each, and are nobody else\'s to take up while it goes on', async () => {
    const first = tick(1);
    const ended = await claims.round(async (one) => {
      const got = await one.claim([first], MAY_OVERLAP);
      expect(await round(tick(2))).to.deep.equal([[2, 1]]);
      expect(claims.yields(first.id)).to.equal(false);
      return got;
    });
    expect(shown(ended)).to.deep.equal([[1, 1]]);
    lost = [2];
    const third = tick(3);
    expect(await round(third)).to.equal('no answer');
    expect(claims.yields(third.id)).to.equal(true);
    expect(await round(), 'it is another one\'s now').to.deep.equal([]);
  });
});
