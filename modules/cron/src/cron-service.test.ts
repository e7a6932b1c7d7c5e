import { StepFailure } from '@treadle/api';
import { expect } from 'chai';
import { changed, DAY, HOUR, type Life, MINUTE, SECOND, shown, World } from './cron.fixture.js';
import { Schedule } from './schedule/schedule.js';

describe('CronService', function () {
  this.timeout(180_000);
  let world: World;
  const open = async (start: string, options?: { durable?: boolean }): Promise<Life> => {
    world = await World.at(start, options);
    return world.life();
  };
  afterEach(() => world.end());

  const changes: readonly (readonly [string, string, string, string, readonly string[]])[] = [
    ['runs a time that does not exist once, at the first moment after', '2026-03-27T12:00:00Z', '30 2 * * *', 'Europe/Berlin',
      ['2026-03-28T01:30:00Z', '2026-03-29T01:00:00Z', '2026-03-30T00:30:00Z']],
    ['runs a time that is repeated once, the first time', '2026-10-23T12:00:00Z', '30 2 * * *', 'Europe/Berlin',
      ['2026-10-24T00:30:00Z', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z']],
    ['runs a midnight that does not exist', '2026-04-22T12:00:00Z', '0 0 * * *', 'Africa/Cairo',
      ['2026-04-22T22:00:00Z', '2026-04-23T22:00:00Z', '2026-04-24T21:00:00Z']],
  ];
  for (const [name, start, expression, timezone, ticks] of changes) {
    it(name, async () => {
      const life = await open(start);
      life.bind({ expression, timezone });
      await world.clock.advance(3 * DAY);
      expect(life.hub.ticks()).to.deep.equal(ticks);
    });
  }

  for (const [start, hours] of [['2026-03-28T23:00:00Z', 5], ['2026-10-24T22:00:00Z', 6], ['2026-11-01T04:00:00Z', 5], ['2026-03-08T05:00:00Z', 5]] as const) {
    it(`goes on every quarter of an hour while the clocks change (${start})`, async () => {
      const life = await open(start);
      life.bind({ expression: '*/15 * * * *', timezone: start.includes('24T') || start.includes('28T') ? 'Europe/Berlin' : 'America/New_York' });
      await world.clock.advance(hours * HOUR);
      expect(life.hub.starts.map(({ at }) => at)).to.deep.equal(Array.from({ length: hours * 4 }, (_, index) => Date.parse(start) + (index + 1) * 15 * MINUTE));
    });
  }

  it('gives the handler the tick, the one before, when it ran and in which zone', async () => {
    const life = await open('2026-01-01T00:00:30Z');
    life.bind({ expression: '* * * * *', timezone: 'Europe/Berlin', timeoutMs: 1_234 });
    await world.clock.advance(90 * SECOND);
    const [first, second] = life.hub.starts.map(({ request }) => request);
    expect(first?.input).to.deep.equal({
      scheduledAt: '2026-01-01T00:01:00.000Z', firedAt: '2026-01-01T00:01:00.000Z', previousScheduledAt: null, missed: false, timezone: 'Europe/Berlin',
    });
    expect(second?.input).to.have.property('previousScheduledAt', '2026-01-01T00:01:00.000Z');
    expect(second).to.include({ step: 'report', lane: 'delivery', timeoutMs: 1_234, attempt: 1, sampled: false });
    expect(second?.traceId).to.match(/^[0-9a-f]{32}$/).and.not.equal(first?.traceId);
    expect((await life.runs()).map(({ traceId, status }) => [traceId, status])).to.deep.equal([[first?.traceId, 'succeeded'], [second?.traceId, 'succeeded']]);
  });

  it('catches up nothing of the time before a trigger was first seen', async () => {
    const life = await open('2026-01-01T12:00:30Z');
    life.bind({ expression: '0 * * * *', missed: 'all' });
    await world.clock.advance(30 * MINUTE);
    expect(life.hub.ticks()).to.deep.equal([]);
  });

  const missed: readonly (readonly [string, object, number, readonly string[], readonly string[]])[] = [
    ['the latest', {}, 2.5 * HOUR, ['2026-01-01T02:00:00Z'], ['2026-01-01T01:00:00Z skipped', '2026-01-01T02:00:00Z succeeded']],
    ['nothing with skip', { missed: 'skip' }, 2.5 * HOUR, [], ['2026-01-01T01:00:00Z skipped', '2026-01-01T02:00:00Z skipped']],
    ['everything with all, in order', { missed: 'all' }, 3.5 * HOUR, ['2026-01-01T01:00:00Z', '2026-01-01T02:00:00Z', '2026-01-01T03:00:00Z'], []],
    ['nothing that is older than the window', { catchUpWindowMs: MINUTE }, 1.5 * HOUR, [], ['2026-01-01T01:00:00Z skipped']],
    ['with all only what lies in a window that is written', { missed: 'all', catchUpWindowMs: 2 * HOUR }, 4.5 * HOUR, ['2026-01-01T03:00:00Z', '2026-01-01T04:00:00Z'], []],
  ];
  for (const [name, rules, downMs, ticks, statuses] of missed) {
    it(`catches up ${name}`, async () => {
      const life = await open('2026-01-01T00:00:00Z', { durable: true });
      life.bind({ expression: '0 * * * *', ...rules });
      await world.clock.advance(SECOND);
      await life.stop();
      await world.restart({ downMs });
      const next = world.life();
      next.bind({ expression: '0 * * * *', ...rules });
      await world.clock.advance(5 * SECOND);
      expect(next.hub.ticks()).to.deep.equal(ticks);
      expect(next.hub.starts.every(({ request }) => (request.input as { missed: boolean }).missed)).to.equal(true);
      if (statuses.length > 0) expect(await next.statuses()).to.deep.equal(statuses);
    });
  }

  it('catches up the last 100 at most, and says how many were dropped', async () => {
    const life = await open('2026-01-01T00:00:00Z', { durable: true });
    life.bind({ expression: '* * * * *', missed: 'all' });
    await world.clock.advance(SECOND);
    await life.stop();
    await world.restart({ downMs: 48 * HOUR });
    const next = world.life();
    next.bind({ expression: '* * * * *', missed: 'all' });
    await world.clock.advance(30 * MINUTE);
    const caughtUp = next.hub.starts.filter(({ request }) => (request.input as { missed: boolean }).missed);
    expect(caughtUp).to.have.length(100);
    expect([next.hub.ticks()[0], next.hub.ticks()[99]]).to.deep.equal(['2026-01-02T22:21:00Z', '2026-01-03T00:00:00Z']);
    expect(next.log.lines.map(({ message, fields }) => [message, fields])).to.deep.equal([
      ['missed cron ticks were dropped: 100 at most are caught up', { stepName: 'report', trigger: '* * * * * UTC', caughtUp: 100, dropped: 2_780 }],
    ]);
    expect(next.service.triggers()[0]?.dropped).to.deep.equal({ ticks: 2_780, at: Date.parse('2026-01-03T00:00:01Z') });
  });

  it('counts what was dropped no further than 10,000', async () => {
    const life = await open('2026-01-01T00:00:00Z');
    life.bind({ expression: '* * * * * *', missed: 'all' });
    await world.clock.advance(SECOND);
    life.clock.shift = DAY;
    await world.clock.advance(10 * SECOND);
    expect(life.service.triggers()[0]?.dropped).to.include({ ticks: 10_000 });
  });

  it('records the newest ten of those that the window leaves out', async () => {
    const rules = { expression: '* * * * *', missed: 'all', catchUpWindowMs: 80 * MINUTE, overlap: 'allow' } as const;
    const life = await open('2026-01-01T00:00:00Z', { durable: true });
    life.bind(rules);
    await world.clock.advance(SECOND);
    await life.stop();
    await world.restart({ downMs: 5 * HOUR });
    const next = world.life();
    next.bind(rules);
    await world.clock.advance(30 * SECOND);
    const statuses = (await next.runs()).filter(({ missed }) => missed).map(({ status }) => status);
    expect([statuses.filter((status) => status === 'skipped').length, statuses.filter((status) => status === 'succeeded').length]).to.deep.equal([10, 80]);
    expect(next.log.lines).to.deep.equal([]);
  });

  it('goes on in the time that comes twice when the time of day is put back, each tick with a record of its own', async () => {
    const life = await open('2026-01-01T00:00:00Z');
    life.bind({ expression: '* * * * *' });
    await world.clock.advance(10 * MINUTE + SECOND);
    life.clock.shift = -5 * MINUTE;
    await world.clock.advance(8 * MINUTE);
    expect(life.hub.ticks()).to.have.length(18);
    expect(new Set(life.hub.ticks()).size).to.equal(18);
    expect(life.hub.ticks().slice(-4)).to.deep.equal(['2026-01-01T00:10:00.001Z', '2026-01-01T00:11:00Z', '2026-01-01T00:12:00Z', '2026-01-01T00:13:00Z']);
    expect(life.hub.starts.at(-4)?.request.input).to.include({ previousScheduledAt: '2026-01-01T00:09:00.000Z' });
  });

  it('runs nothing twice that comes more seldom than the time of day was put back', async () => {
    const life = await open('2026-01-01T00:00:00Z');
    life.bind({ expression: '30 * * * *' });
    await world.clock.advance(35 * MINUTE);
    life.clock.shift = -20 * MINUTE;
    await world.clock.advance(30 * MINUTE);
    expect(life.hub.ticks()).to.deep.equal(['2026-01-01T00:30:00Z']);
  });

  it('goes on after a restart in the time that comes twice', async () => {
    const life = await open('2026-01-01T00:00:00Z', { durable: true });
    life.bind({ expression: '* * * * *', missed: 'skip' });
    await world.clock.advance(60 * MINUTE + SECOND);
    life.clock.shift = -HOUR;
    await world.clock.advance(2 * MINUTE);
    await life.stop();
    await world.restart();
    const next = world.life();
    next.clock.shift = -HOUR;
    next.bind({ expression: '* * * * *', missed: 'skip' });
    await world.clock.advance(3 * MINUTE);
    expect(next.hub.ticks().length).to.be.within(2, 3);
  });

  it('treats what is skipped when the time of day is put forward as missed', async () => {
    const life = await open('2026-01-01T00:00:00Z');
    life.bind({ expression: '0 * * * *' });
    await world.clock.advance(HOUR + SECOND);
    life.clock.shift = 4.5 * HOUR;
    await world.clock.advance(MINUTE);
    expect(life.hub.ticks()).to.deep.equal(['2026-01-01T01:00:00Z', '2026-01-01T05:00:00Z']);
    expect(life.hub.starts[1]?.request.input).to.have.property('missed', true);
  });

  it('runs no tick under the same moment again when the time of day is put back, not even those whose records are gone', async () => {
    const life = await open('2026-01-01T00:00:00Z');
    life.bind({ expression: '* * * * * *' });
    await world.clock.advance(10 * MINUTE);
    life.clock.shift = -9 * MINUTE;
    await world.clock.advance(9 * MINUTE);
    await world.clock.advance(MINUTE);
    expect(new Set(life.hub.ticks()).size).to.equal(life.hub.ticks().length);
    expect(life.hub.ticks()).to.have.length(20 * 60);
  });

  it('ticks each second that passes while the time of day jumps to and fro, each under a moment of its own', async () => {
    const life = await open('2026-01-01T00:00:00Z');
    life.bind({ expression: '* * * * * *', overlap: 'allow' });
    await world.clock.advance(10 * SECOND);
    let forward = 0;
    for (const jump of [-HOUR, HOUR, HOUR, -HOUR, -4 * MINUTE, -3 * MINUTE, 5 * MINUTE, -6 * MINUTE, -2 * SECOND, -HOUR]) {
      life.clock.shift += jump;
      if (jump > 0) forward += 1;
      await world.clock.advance(150 * SECOND);
    }
    const ticks = life.hub.ticks();
    expect(new Set(ticks).size, 'doubled').to.equal(ticks.length);
    expect(ticks.length).to.be.within(10 + 1_500 - 10, 10 + 1_500 + forward);
  });

  for (const missed of ['skip', 'latest', 'all'] as const) {
    it(`goes on with the true time when the time of day was far ahead and is put right (missed: ${missed})`, async () => {
      const life = await open('2026-01-01T00:00:00Z', { durable: true });
      life.bind({ expression: '* * * * *', missed });
      await world.clock.advance(2.5 * MINUTE);
      life.clock.shift = 365 * DAY;
      await world.clock.advance(2 * HOUR);
      life.clock.shift = 0;
      const before = life.hub.ticks().length;
      await world.clock.advance(3 * MINUTE);
      expect(life.hub.ticks().slice(before)).to.deep.equal(['2026-01-01T02:03:00Z', '2026-01-01T02:04:00Z', '2026-01-01T02:05:00Z']);
      await life.stop();
      await world.restart();
      const next = world.life();
      next.bind({ expression: '* * * * *', missed });
      await world.clock.advance(MINUTE);
      expect(next.hub.ticks()).to.deep.equal(['2026-01-01T02:06:00Z']);
      const [timeline] = next.service.triggers();
      expect((timeline ? await next.service.runs(timeline, 4) : []).map(({ scheduledAt }) => shown(scheduledAt))).to.deep.equal(
        ['2026-01-01T02:06:00Z', '2026-01-01T02:05:00Z', '2026-01-01T02:04:00Z', '2026-01-01T02:03:00Z']);
    });
  }

  it('catches up what was missed after a time in which the time of day was far ahead', async () => {
    const life = await open('2026-01-01T00:00:00Z', { durable: true });
    life.bind({ expression: '0 * * * *', missed: 'all' });
    life.clock.shift = 365 * DAY;
    await world.clock.advance(1.5 * HOUR);
    life.clock.shift = 0;
    await world.clock.advance(HOUR);
    expect(life.hub.ticks().at(-1)).to.equal('2026-01-01T02:00:00Z');
    await life.stop();
    await world.restart({ downMs: 2 * HOUR });
    const next = world.life();
    next.bind({ expression: '0 * * * *', missed: 'all' });
    await world.clock.advance(SECOND);
    expect(next.hub.ticks()).to.deep.equal(['2026-01-01T03:00:00Z', '2026-01-01T04:00:00Z']);
  });

  it('has the ticks of the oracle over jumps of an hour to and fro, each once', async () => {
    const life = await open('2026-01-01T00:00:00Z');
    life.bind({ expression: '*/10 * * * *', missed: 'all' });
    const schedule = Schedule.of('*/10 * * * *', 'UTC');
    let highest = 0;
    for (let jump = 0; jump < 50; jump += 1) {
      life.clock.shift += (jump * 7 % 3 - 1) * HOUR;
      await world.clock.advance(25 * MINUTE);
      highest = Math.max(highest, life.clock.now());
    }
    const expected: string[] = [];
    for (let tick = schedule.next(Date.parse('2026-01-01T00:00:00Z')); tick !== undefined && tick <= highest - 2 * MINUTE; tick = schedule.next(tick)) {
      expected.push(new Date(tick).toISOString().replace('.000Z', 'Z'));
    }
    const found = life.hub.ticks();
    expect(new Set(found).size, 'doubled').to.equal(found.length);
    expect(expected.filter((tick) => !found.includes(tick)), 'missing').to.deep.equal([]);
  });

  it('tries again what the store refused, and loses no tick and no end of a run', async () => {
    world = await World.at('2026-01-01T00:00:00Z');
    let down = false;
    const life = world.life(0, (adapter) => changed(adapter, {
      claim: (runs, leaseMs) => (down ? Promise.reject(new Error('full')) : adapter.claim(runs, leaseMs)),
      finish: (runs) => (down ? Promise.reject(new Error('full')) : adapter.finish(runs)),
    }));
    life.bind({ expression: '* * * * *' });
    life.hub.reply = () => undefined;
    await world.clock.advance(61 * SECOND);
    down = true;
    life.hub.settle(life.hub.starts[0], 'ok');
    await world.clock.advance(70 * SECOND);
    expect(life.hub.ticks()).to.deep.equal(['2026-01-01T00:01:00Z']);
    expect(await life.statuses()).to.deep.equal(['2026-01-01T00:01:00Z running']);
    down = false;
    await world.clock.advance(3 * SECOND);
    expect(life.hub.ticks()).to.deep.equal(['2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z']);
    expect((await life.statuses())[0]).to.equal('2026-01-01T00:01:00Z succeeded');
    expect(life.log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).to.include('cron runs could not be recorded; this is tried again')
      .and.include('cron could not reach its store; this is tried again');
  });

  it('runs a tick within ten seconds after the time of day was put forward to it', async () => {
    const life = await open('2026-01-01T00:00:00Z');
    life.bind({ expression: '0 5 * * *' });
    await world.clock.advance(SECOND);
    life.clock.shift = 5 * HOUR;
    await world.clock.advance(10 * SECOND);
    expect(life.hub.ticks()).to.deep.equal(['2026-01-01T05:00:00Z']);
  });

  it('leaves no timer behind', async () => {
    const life = await open('2026-01-01T00:00:00Z');
    const before = world.clock.pending;
    const other = world.life(1);
    for (const one of [life, other]) one.bind({ expression: '* * * * * *', overlap: 'queue' });
    life.hub.reply = () => new StepFailure('worker_lost', 'gone');
    await world.clock.advance(10 * SECOND);
    await life.stop();
    await other.stop();
    expect(world.clock.pending).to.be.at.most(before - 2);
  });
});
