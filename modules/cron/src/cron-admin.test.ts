import type { AdminError, AdminRequest, AdminRoutes } from '@treadle/api';
import { expect } from 'chai';
import { addCronRoutes } from './cron-admin.js';
import { HOUR, type Life, MINUTE, SECOND, World } from './cron.fixture.js';

describe('admin routes of cron', () => {
  let world: World;
  let life: Life;
  const routes = new Map<string, (request: AdminRequest) => Promise<unknown>>();
  beforeEach(async () => {
    world = await World.at('2026-01-01T00:00:00Z');
    life = world.life();
    const add = (method: string) => (path: string, handle: (request: AdminRequest) => Promise<unknown>) => void routes.set(`${method} ${path}`, handle);
    addCronRoutes({ get: add('GET'), post: add('POST'), put: add('PUT'), delete: add('DELETE'), events: () => undefined } as AdminRoutes, () => life.service);
    life.bind({ expression: '0 * * * *' });
    life.bind({ expression: '30 6 * * *', timezone: 'Europe/Berlin' }, 'nightly', 0);
    life.bind({ expression: '@daily' }, 'nightly', 1);
    await world.clock.advance(HOUR + SECOND);
  });
  afterEach(() => world.end());

  const ask = (route: string, over: Partial<AdminRequest> = {}): Promise<unknown> => {
    const handle = routes.get(route);
    if (!handle) throw new Error(`there is no route ${route}`);
    return handle({ params: {}, query: {}, body: undefined, ...over });
  };
  const refusal = (route: string, over: Partial<AdminRequest>): Promise<string> =>
    ask(route, over).then(() => 'it was not refused', (error: AdminError) => `${error.status} ${error.code}: ${error.message}`);

  it('lists triggers with their next tick and last run', async () => {
    const { items: triggers } = await ask('GET /') as { items: Record<string, unknown>[] };
    expect(triggers.map(({ lastRun, ...rest }) => ({ ...rest, lastRun: (lastRun as { status?: string } | undefined)?.status }))).to.deep.equal([
      { step: 'report', trigger: '0 * * * * UTC', expression: '0 * * * *', timezone: 'UTC', paused: false, nextAt: '2026-01-01T02:00:00.000Z', skipped: [], lastRun: 'succeeded' },
      { step: 'nightly', trigger: '30 6 * * * Europe/Berlin', expression: '30 6 * * *', timezone: 'Europe/Berlin', paused: false, nextAt: '2026-01-01T05:30:00.000Z', skipped: [], lastRun: undefined },
      { step: 'nightly', trigger: '@DAILY UTC', expression: '@daily', timezone: 'UTC', paused: false, nextAt: '2026-01-02T00:00:00.000Z', skipped: [], lastRun: undefined },
    ]);
  });

  it('lists the runs of a trigger', async () => {
    const { items: runs } = await ask('GET /runs', { query: { step: 'report', limit: '5' } }) as { items: Record<string, unknown>[] };
    expect(runs).to.have.length(1);
    expect(runs[0]).to.include({ step: 'report', scheduledAt: '2026-01-01T01:00:00.000Z', status: 'succeeded', attempt: 1, manual: false, missed: false })
      .and.to.include.keys('id', 'traceId', 'durationMs', 'firedAt');
    expect(await ask('GET /runs', { query: { limit: '1' } }), 'of all triggers').to.deep.equal({ items: runs });
    expect(await ask('GET /runs', { query: { step: 'nightly', trigger: '@DAILY UTC' } })).to.deep.equal({ items: [] });
  });

  it('runs a trigger now, also beside a run that goes on, and moves no tick by it', async () => {
    life.hub.reply = () => undefined;
    const answers = await Promise.all([1, 2].map(() => ask('POST /run', { body: { step: 'report' } }))) as { runId: string; traceId: string }[];
    expect(life.hub.starts.slice(1).map(({ request }) => request.traceId).sort()).to.deep.equal(answers.map(({ traceId }) => traceId).sort());
    await world.clock.advance(SECOND);
    for (const start of life.hub.starts) life.hub.settle(start, 'ok');
    const runs = await life.runs();
    expect(runs.filter(({ manual }) => manual).map(({ id }) => id).sort()).to.deep.equal(answers.map(({ runId }) => runId).sort());
    await world.clock.advance(HOUR);
    expect(life.hub.ticks().at(-1)).to.equal('2026-01-01T02:00:00Z');
  });

  it('never takes the record of a tick for a run by hand', async () => {
    await world.clock.advance(HOUR - 2 * SECOND);
    await world.clock.advance(SECOND);
    await ask('POST /run', { body: { step: 'report' } });
    await world.clock.advance(SECOND);
    expect((await life.runs()).map(({ manual }) => manual)).to.include.members([true, false]);
    expect(life.hub.ticks()).to.include('2026-01-01T02:00:00Z');
  });

  it('pauses and resumes; what came meanwhile is not caught up, not even after a restart', async () => {
    const paused = await ask('POST /pause', { body: { step: 'report' } }) as { items: Record<string, unknown>[] };
    expect(paused.items[0]).to.include({ paused: true, nextAt: null });
    await world.clock.advance(3 * HOUR);
    expect(life.hub.ticks().filter((tick) => tick > '2026-01-01T01')).to.have.length(1);
    await ask('POST /resume', { body: { step: 'report' } });
    await life.stop();
    life = world.life(1);
    life.bind({ expression: '0 * * * *' });
    await world.clock.advance(MINUTE);
    expect(life.hub.ticks()).to.deep.equal([]);
    await world.clock.advance(HOUR);
    expect(life.hub.ticks()).to.deep.equal(['2026-01-01T05:00:00Z']);
  });

  it('pauses all triggers of a Step when none is named, also those that a restart finds paused', async () => {
    const { items: triggers } = await ask('POST /pause', { body: { step: 'nightly' } }) as { items: unknown[] };
    expect(triggers).to.have.length(2);
    await life.stop();
    life = world.life(1);
    life.bind({ expression: '@daily' }, 'nightly');
    await world.clock.advance(48 * HOUR);
    expect(life.hub.ticks()).to.deep.equal([]);
  });

  it('pauses until a time, and says what runs then', async () => {
    const { items: [paused] } = await ask('POST /pause', { body: { step: 'report', until: '2026-01-01T03:00:00Z' } }) as { items: Record<string, unknown>[] };
    expect(paused).to.include({ paused: true, pausedUntil: '2026-01-01T03:00:00.000Z', nextAt: '2026-01-01T03:00:00.000Z' });
    const { items: ticks } = await ask('GET /calendar', { query: { to: '2026-01-01T04:00:00Z' } }) as { items: { at: string }[] };
    expect(ticks.map(({ at }) => at)).to.deep.equal(['2026-01-01T03:00:00.000Z', '2026-01-01T04:00:00.000Z']);
    await world.clock.advance(2 * HOUR);
    const { items: [over] } = await ask('GET /') as { items: Record<string, unknown>[] };
    expect(over).to.include({ paused: false, nextAt: '2026-01-01T04:00:00.000Z' }).and.not.have.property('pausedUntil');
    expect(life.hub.ticks()).to.deep.equal(['2026-01-01T01:00:00Z', '2026-01-01T03:00:00Z']);
    expect(await refusal('POST /pause', { body: { step: 'report', until: '2026-01-01T03:00:00Z' } })).to.equal('400 invalid_argument: "until" must be a time to come');
  });

  it('skips the next tick for whoever asks, and no other one; the record says who that was', async () => {
    const body = { step: 'report', at: '2026-01-01T02:00:00Z' };
    const skipped = await ask('POST /skip', { body, caller: 'ada' }) as Record<string, unknown>;
    expect(skipped).to.deep.include({ paused: false, nextAt: '2026-01-01T03:00:00.000Z', skipped: [{ at: '2026-01-01T02:00:00.000Z', why: 'skipped by ada' }] });
    expect(skipped).to.have.nested.property('lastRun.scheduledAt', '2026-01-01T01:00:00.000Z');
    expect(await refusal('POST /skip', { body, caller: 'eve' })).to.equal('409 not_the_next_tick: the next tick is 2026-01-01T03:00:00.000Z');
    const { items: ticks } = await ask('GET /calendar', { query: { to: '2026-01-01T04:00:00Z' } }) as { items: { at: string }[] };
    expect(ticks.map(({ at }) => at)).to.deep.equal(['2026-01-01T03:00:00.000Z', '2026-01-01T04:00:00.000Z']);
    await world.clock.advance(2 * HOUR);
    expect(life.hub.ticks()).to.deep.equal(['2026-01-01T01:00:00Z', '2026-01-01T03:00:00Z']);
    const { items: runs } = await ask('GET /runs', { query: { step: 'report' } }) as { items: Record<string, unknown>[] };
    expect(runs.map(({ scheduledAt, status, error }) => [scheduledAt, status, error])).to.deep.equal([
      ['2026-01-01T03:00:00.000Z', 'succeeded', undefined], ['2026-01-01T02:00:00.000Z', 'skipped', 'skipped by ada'], ['2026-01-01T01:00:00.000Z', 'succeeded', undefined],
    ]);
    await ask('POST /pause', { body: { step: 'report' } });
    expect(await refusal('POST /skip', { body: { step: 'report' } })).to.equal('409 no_next_tick: the trigger has no next tick, or is paused until it is resumed');
  });

  it('skips a tick that is more than 100 runs away', async () => {
    const [body, query] = [{ step: 'minutely' }, { step: 'minutely', limit: '3' }];
    life.bind({ expression: '* * * * *' }, 'minutely');
    await world.clock.advance(SECOND);
    await ask('POST /pause', { body: { ...body, until: '2026-01-01T04:00:00Z' } });
    await ask('POST /skip', { body, caller: 'ada' });
    await ask('POST /resume', { body });
    await world.clock.advance(170 * MINUTE);
    const { items } = await ask('GET /') as { items: Record<string, unknown>[] };
    expect(items.find(({ step }) => step === 'minutely')?.['skipped']).to.deep.equal([{ at: '2026-01-01T04:00:00.000Z', why: 'skipped by ada' }]);
    await world.clock.advance(11 * MINUTE);
    const { items: runs } = await ask('GET /runs', { query }) as { items: Record<string, unknown>[] };
    expect(runs.map(({ scheduledAt, status }) => [scheduledAt, status])).to.deep.equal([
      ['2026-01-01T04:01:00.000Z', 'succeeded'], ['2026-01-01T04:00:00.000Z', 'skipped'], ['2026-01-01T03:59:00.000Z', 'succeeded'],
    ]);
  });

  it('skips ten ticks to come at most', async () => {
    for (let count = 0; count < 10; count += 1) await ask('POST /skip', { body: { step: 'report' } });
    expect(await refusal('POST /skip', { body: { step: 'report' } })).to.equal('409 too_many_skipped: the next 10 ticks are skipped already; pause the trigger until a time instead');
  });

  it('refuses what it does not understand', async () => {
    expect(await refusal('POST /run', { body: { step: 'nightly' } })).to.equal(
      '400 invalid_argument: Step "nightly" has 2 cron triggers; name one of them as the trigger: "30 6 * * * Europe/Berlin", "@DAILY UTC"');
    expect(await refusal('POST /run', { body: { step: 'none' } })).to.equal('404 not_found: no Step "none" has a cron trigger; these have: nightly, report');
    expect(await refusal('POST /pause', { body: { step: 'report', trigger: 'x' } })).to.equal('404 not_found: Step "report" has no cron trigger "x"; it has "0 * * * * UTC"');
    expect(await refusal('POST /resume', { body: [] })).to.equal('400 invalid_argument: the body must be an object with "step"');
    expect(await refusal('POST /resume', { body: {} })).to.equal('400 invalid_argument: "step" must be the name of a Step');
    expect(await refusal('GET /runs', { query: { step: 'report', limit: '0' } })).to.equal('400 invalid_argument: "limit" must be a whole number from 1 to 100, got "0"');
  });

  it('refuses the same schedule twice in a Step, and gives it back when the Step goes', async () => {
    expect(() => life.bind({ expression: '0  * * * *' }, 'report', 1)).to.throw('the Step has the schedule "0 * * * * UTC" already, as triggers[0]; remove one of them');
    life.unbind({ expression: '0 * * * *' });
    life.bind({ expression: '0  * * * *' }, 'report', 1);
    await world.clock.advance(HOUR);
    expect(life.hub.starts.at(-1)?.request.trigger).to.deep.equal({ type: 'cron', index: 1 });
  });
});
