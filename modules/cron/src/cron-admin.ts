import { AdminError, type AdminRequest, type AdminRoutes, type CronRun, invalidArgument, limitArgument, wallTime } from '@treadle/api';
import { calendar, timeOf } from './calendar.js';
import { testExpression } from './expression-test.js';
import type { CronService } from './cron-service.js';
import { nextBut } from './skipped-ticks.js';
import type { Timeline } from './timeline.js';

const MAX_RUNS = 100;
/** Arguments that say which triggers are meant. */
const TRIGGER = ['step', 'trigger'];

/** Adds the routes that operators see and steer the triggers by. Times are ISO 8601 UTC. */
export function addCronRoutes(routes: AdminRoutes, service: () => CronService): void {
  routes.get('/', async () => {
    const cron = service();
    await cron.followStore();
    return { items: await Promise.all(cron.triggers().map((timeline) => shownTrigger(cron, timeline))) };
  }, [], 'Cron triggers with their next and last run');
  routes.get('/runs', async ({ query }) => {
    const cron = service();
    return { items: (await latestRuns(cron, meant(cron, query), limitArgument(query['limit'], MAX_RUNS, MAX_RUNS))).map(shownRun) };
  }, [...TRIGGER, 'limit'], 'Runs, the latest first; of all triggers, or those of a Step');
  routes.get('/calendar', async ({ query }) => calendar(service(), service().triggers(), query), ['from', 'to', 'limit'], 'Ticks to come of all triggers, in the order of time');
  routes.get('/expression', async ({ query }) => testExpression(service().clock, query), ['expression', 'timezone', 'count', 'from'], 'The ticks to come of any expression');
  routes.post('/run', async ({ body }) => {
    const { id, traceId } = await service().runNow(chosen(service(), fieldsOf(body)));
    return { runId: id, traceId };
  }, TRIGGER, 'Starts a run now');
  routes.post('/pause', (request) => setPaused(service(), request, true), [...TRIGGER, 'until'], 'Lets no run begin, for good or until a time');
  routes.post('/skip', (request) => skip(service(), request), [...TRIGGER, 'at'], 'Lets the next tick be skipped');
  routes.post('/resume', (request) => setPaused(service(), request, false), TRIGGER, 'Lets runs begin again');
}

async function setPaused(service: CronService, { body }: AdminRequest, paused: boolean): Promise<unknown> {
  const { step, trigger, until } = fieldsOf(body);
  const timelines = found(service, step, trigger);
  const end = until === undefined ? undefined : timeOf(String(until), 'until');
  if (end !== undefined && end <= wallTime(service.clock)) throw invalidArgument('"until" must be a time to come');
  for (const timeline of timelines) await service.setPaused(timeline, paused, end);
  return { items: await Promise.all(timelines.map((timeline) => shownTrigger(service, timeline))) };
}

/** A tick is skipped for all engines on the store, and the record of it says by whom. */
async function skip(service: CronService, { body, caller = 'a module' }: AdminRequest): Promise<unknown> {
  const fields = fieldsOf(body);
  const timeline = chosen(service, fields);
  await service.followStore();
  const at = fields['at'] === undefined ? undefined : timeOf(String(fields['at']), 'at');
  await service.skipped.skipNext(timeline, caller, at);
  return shownTrigger(service, timeline);
}

/** All triggers where none is named. */
function meant(service: CronService, { step, trigger }: AdminRequest['query']): readonly Timeline[] {
  return step === undefined && trigger === undefined ? service.triggers() : found(service, step, trigger);
}

async function latestRuns(service: CronService, timelines: readonly Timeline[], limit: number): Promise<readonly CronRun[]> {
  const runs = (await Promise.all(timelines.map((timeline) => service.runs(timeline, limit)))).flat();
  return timelines.length === 1 ? runs : runs.sort((a, b) => b.firedAt - a.firedAt).slice(0, limit);
}

/** The one trigger that is meant. */
function chosen(service: CronService, { step, trigger }: Readonly<Record<string, unknown>>): Timeline {
  const timelines = found(service, step, trigger);
  const [timeline] = timelines;
  if (timelines.length === 1 && timeline) return timeline;
  const known = timelines.map(({ key }) => `"${key.trigger}"`).join(', ');
  throw invalidArgument(`Step "${String(step)}" has ${timelines.length} cron triggers; name one of them as the trigger: ${known}`);
}

function found(service: CronService, step: unknown, trigger: unknown): readonly Timeline[] {
  if (typeof step !== 'string' || step === '') throw invalidArgument('"step" must be the name of a Step');
  if (trigger !== undefined && typeof trigger !== 'string') throw invalidArgument('"trigger" must be text');
  const timelines = service.triggersOf(step, trigger === '' ? undefined : trigger);
  if (timelines.length > 0) return timelines;
  const known = service.triggersOf(step).map(({ key }) => `"${key.trigger}"`);
  throw new AdminError(404, 'not_found', known.length > 0
    ? `Step "${step}" has no cron trigger "${trigger ?? ''}"; it has ${known.join(', ')}`
    : `no Step "${step}" has a cron trigger; ${stepsWithTriggers(service)}`);
}

/** Some of the Steps that could have been meant. */
function stepsWithTriggers(service: CronService): string {
  const names = [...new Set(service.triggers().map(({ key }) => key.step))].sort();
  if (names.length === 0) return 'no Step has one';
  return `these have: ${names.slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''}`;
}

function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw invalidArgument('the body must be an object with "step"');
}

async function shownTrigger(service: CronService, timeline: Timeline): Promise<unknown> {
  const { key, expression, timezone, pause: { on: paused, until }, dropped } = timeline;
  const [skipped, [lastRun]] = await Promise.all([service.skipped.of(timeline), service.runs(timeline, 1)]);
  const next = timeline.opened ? nextBut(skipped, timeline, wallTime(service.clock)) : undefined;
  return {
    ...key, expression, timezone, paused, ...until !== undefined && { pausedUntil: iso(until) }, nextAt: next === undefined ? null : iso(next),
    skipped: skipped.map(({ scheduledAt, error }) => ({ at: iso(scheduledAt), why: error })), ...lastRun && { lastRun: shownRun(lastRun) }, ...dropped && { dropped: { ...dropped, at: iso(dropped.at) } },
  };
}

function shownRun(run: CronRun): unknown {
  return { ...run, scheduledAt: iso(run.scheduledAt), firedAt: iso(run.firedAt) };
}

const iso = (time: number): string => new Date(time).toISOString();
