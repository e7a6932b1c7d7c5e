import { StepFailure } from '@treadle/api';
import { expect } from 'chai';
import { changed, type Life, MINUTE, SECOND, World } from './cron.fixture.js';
import { randomNumbers } from './schedule/oracle.fixture.js';

const TRIGGERS = [
  { expression: '*/5 * * * * *' }, { expression: '*/7 * * * * *', overlap: 'queue' }, { expression: '* * * * *', missed: 'all', overlap: 'allow' },
  { expression: '30 * * * * *', timezone: 'Asia/Kolkata', missed: 'skip' },
] as const;

function newLife(world: World, user: number, random: (below: number) => number): Life {
  const life = world.life(user);
  life.hub.reply = () => {
    const fate = random(10);
    if (fate === 0) return new StepFailure('worker_lost', 'gone');
    return fate < 4 ? undefined : 'ok';
  };
  TRIGGERS.forEach((trigger, index) => life.bind(trigger, `step${index}`, 0));
  return life;
}

function settleSome(lives: readonly Life[], random: (below: number) => number): void {
  for (const { hub } of lives) {
    for (const start of hub.starts) if (random(2) === 0) hub.settle(start, 'ok');
  }
}

describe('two cron modules over one store', function () {
  this.timeout(120_000);

  for (const seed of [1, 2, 3]) {
    it(`never run a tick twice, whoever is killed or stopped (seed ${seed})`, async () => {
      const random = randomNumbers(seed);
      const world = await World.at('2026-01-01T00:00:00Z');
      try {
        const starts: string[] = [];
        let lives = [newLife(world, 0, random), newLife(world, 1, random)];
        const kept: Life[] = [...lives];
        for (let round = 0; round < 40; round += 1) {
          await world.clock.advance(3 * SECOND + random(20) * SECOND);
          settleSome(lives, random);
          const victim = random(3);
          const life = lives[victim];
          if (!life) continue;
          if (random(2) === 0) life.kill();
          else await life.stop();
          const reborn = newLife(world, victim, random);
          kept.push(reborn);
          lives = lives.map((one) => (one === life ? reborn : one));
        }
        await world.clock.advance(2 * MINUTE);
        for (const { hub } of kept) for (const { request } of hub.starts) starts.push(`${request.step} ${(request.input as { scheduledAt: string }).scheduledAt} ${request.attempt}`);
        expect(starts.length).to.be.greaterThan(100);
        expect(starts.filter((start, index) => starts.indexOf(start) !== index), 'started twice').to.deep.equal([]);
      } finally {
        await world.end();
      }
    });
  }

  it('run ticks twice over a store that gives them twice, which is found here', async () => {
    const world = await World.at('2026-01-01T00:00:00Z');
    try {
      const lives = [0, 1].map((user) => world.life(user, (adapter) => changed(adapter, { claim: async (runs) => runs.map(() => 'claimed') })));
      for (const life of lives) life.bind({ expression: '* * * * *' });
      await world.clock.advance(MINUTE + SECOND);
      expect(lives.map(({ hub }) => hub.starts.length)).to.deep.equal([1, 1]);
    } finally {
      await world.end();
    }
  });

  it('share the ticks, leave out none, and do not overlap each other', async () => {
    const world = await World.at('2026-01-01T00:00:00Z');
    try {
      const [first, second] = [world.life(0), world.life(1)];
      for (const life of [first, second]) life.bind({ expression: '* * * * *' });
      second.hub.reply = () => undefined;
      first.hub.reply = () => undefined;
      await world.clock.advance(MINUTE + SECOND);
      const [owner, other] = first.hub.starts.length === 1 ? [first, second] : [second, first];
      await world.clock.advance(MINUTE);
      expect([owner.hub.starts.length, other.hub.starts.length]).to.deep.equal([1, 0]);
      owner.hub.settle(owner.hub.starts[0], 'ok');
      await world.clock.advance(MINUTE);
      expect(await owner.statuses()).to.deep.equal(['2026-01-01T00:01:00Z succeeded', '2026-01-01T00:02:00Z skipped', '2026-01-01T00:03:00Z running']);
    } finally {
      await world.end();
    }
  });

  it('let the other one go on when the first cannot reach the store', async () => {
    const world = await World.at('2026-01-01T00:00:00Z');
    try {
      const first = world.life(0, (adapter) => changed(adapter, { claim: () => Promise.reject(new Error('cut off')) }));
      const second = world.life(1);
      for (const life of [first, second]) life.bind({ expression: '* * * * *' });
      await world.clock.advance(5 * MINUTE + SECOND);
      expect([first.hub.starts.length, second.hub.starts.length]).to.deep.equal([0, 5]);
    } finally {
      await world.end();
    }
  });
});
