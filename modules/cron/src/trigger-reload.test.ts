import { StepFailure } from '@treadle/api';
import { expect } from 'chai';
import { type Life, MINUTE, SECOND, World } from './cron.fixture.js';

describe('runs of cron triggers that a reload changes', () => {
  let world: World;
  let life: Life;
  beforeEach(async () => {
    world = await World.at('2026-01-01T00:00:00Z');
    life = world.life();
  });
  afterEach(() => world.end());

  it('begins a run that waited where its trigger stands after a reload', async () => {
    let served = 1;
    life.hub.reply = ({ request: { trigger } }) => (trigger.index === served ? 'ok' : new StepFailure('no_worker', 'no such trigger'));
    life.bind({ expression: '* * * * *' }, 'report', 1);
    await world.clock.advance(MINUTE + SECOND);
    life.hub.serve(0);
    await world.clock.advance(MINUTE);
    life.unbind({ expression: '* * * * *' }, 'report', 1);
    life.bind({ expression: '* * * * *' }, 'report', served = 0);
    life.hub.serve(1);
    await world.clock.advance(2 * MINUTE);
    expect((await life.statuses()).sort()).to.deep.equal(['2026-01-01T00:01:00Z succeeded', '2026-01-01T00:02:00Z succeeded', '2026-01-01T00:03:00Z succeeded', '2026-01-01T00:04:00Z succeeded']);
  });

  it('holds no run of a trigger that has gone while it waited for a worker', async () => {
    life.bind({ expression: '* * * * *' });
    life.hub.reply = () => new StepFailure('no_worker', 'none');
    await world.clock.advance(MINUTE + SECOND);
    life.unbind({ expression: '* * * * *' });
    await world.clock.advance(SECOND);
    expect(await life.adapter.orphans()).to.have.length(1);
    life.hub.step = () => ({ id: 'report' }) as never;
    await world.clock.advance(2 * MINUTE);
    expect((await life.adapter.runs({ step: 'report', trigger: '* * * * * UTC' }, 1))[0]).to.include({ status: 'abandoned' });
  });
});
