import { StepFailure } from '@treadle/api';
import { expect } from 'chai';
import { MINUTE, SECOND, World } from './cron.fixture.js';
import { endingOf } from './runs/run-ending.js';

describe('runs of a cron trigger that wait for a worker', function () {
  this.timeout(60_000);
  let world: World;
  afterEach(() => world.end());

  for (const engines of ['one', 'two'] as const) it(`are 100 at most with allow, and further ticks are skipped and say why (${engines})`, async () => {
    world = await World.at('2026-01-01T00:00:00Z', { engines });
    const life = world.life();
    life.bind({ expression: '* * * * *', overlap: 'allow' });
    life.hub.serve(0);
    await world.clock.advance(103 * MINUTE + 3 * SECOND);
    const [timeline = expect.fail('no trigger')] = life.service.triggers();
    expect(await life.adapter.running(timeline.key)).to.have.length(100);
    const skipped = (await life.runs()).filter(({ status }) => status === 'skipped');
    expect(skipped.map(({ error }) => error)).to.deep.equal(Array.from({ length: 3 }, () => '100 runs of the trigger wait for a worker already'));
    life.hub.serve(1);
    await world.clock.advance(MINUTE);
    expect(await life.adapter.running(timeline.key)).to.deep.equal([]);
    expect(life.hub.starts).to.have.length(101);
  });
});

describe('the error of a cron run', () => {
  const errorOf = (message: string): string => {
    const ending = endingOf(new StepFailure('unhandled_exception', message, { errorName: 'E' }));
    return ending.kind === 'ended' ? ending.error ?? '' : expect.fail('it did not end');
  };

  it('is cut so that it is small as JSON, in whole characters', () => {
    for (const [character, kept] of [['x', 1_997], ['"', 998], ['\u0001', 332], ['é', 998], ['😀', 499]] as const) {
      expect(errorOf(character.repeat(5_000)), character).to.equal(`E: ${character.repeat(kept)}`);
    }
    expect(errorOf('short "é"')).to.equal('E: short "é"');
    expect(endingOf(new StepFailure('worker_lost', '"'.repeat(5_000)))).to.deep.equal({ kind: 'cut', error: '"'.repeat(1_000) });
  });
});
