import { AdminError, type AdminRequest, type AdminRoutes, type CronRun } from '@treadle/api';
import type { CronService } from './cron-service.js';
import type { Timeline } from './timeline.js';

const MAX_RUNS = 100;
/** Arguments that say which triggers are meant. */
const TRIGGER = ['step', 'trigger'];

/** Adds the routes that operators see and steer the triggers by. Times are ISO 8601 UTC. */
export function addCronRoutes(routes: AdminRoutes, service: () => CronService): void {
  routes.get('/', async () => {
    const cron = service();
    return { triggers: await Promise.all(cron.triggers().map((timeline) => shownTrigger(cron, timeline))) };
  }, []);
  routes.get('/runs', async ({ query }) => {
    const timeline = chosen(service(), query);
    return { runs: (await service().runs(timeline, limitOf(query['limit']))).map(shownRun) };
  }, [...TRIGGER, 'limit']);
  routes.post('/run', async ({ body }) => {
    const { id, traceId } = await service().runNow(chosen(service(), fieldsOf(body)));
    return { runId: id, traceId };
  }, TRIGGER);
  routes.post('/pause', (request) => setPaused(service(), request, true), TRIGGER);
  routes.post('/resume', (request) => setPaused(service(), request, false), TRIGGER);
}

async function setPaused(service: CronService, { body }: AdminRequest, paused: boolean): Promise<unknown> {
  const { step, trigger } = fieldsOf(body);
  const timelines = found(service, step, trigger);
  for (const timeline of timelines) await service.setPaused(timeline, paused);
  return { triggers: await Promise.all(timelines.map((timeline) => shownTrigger(service, timeline))) };
}

/** The one trigger that is meant. */
function chosen(service: CronService, { step, trigger }: Readonly<Record<string, unknown>>): Timeline {
  const timelines = found(service, step, trigger);
  const [timeline] = timelines;
  if (timelines.length === 1 && timeline) return timeline;
  const known = timelines.map(({ key }) => `"${key.trigger}"`).join(', ');
  throw new AdminError(400, 'bad_request', `Step "${String(step)}" has ${timelines.length} cron triggers; name one of them as the trigger: ${known}`);
}

function found(service: CronService, step: unknown, trigger: unknown): readonly Timeline[] {
  if (typeof step !== 'string' || step === '') throw new AdminError(400, 'bad_request', '"step" must be the name of a Step');
  if (trigger !== undefined && typeof trigger !== 'string') throw new AdminError(400, 'bad_request', '"trigger" must be text');
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

function limitOf(limit: string | undefined): number {
  if (limit === undefined) return MAX_RUNS;
  const number = Number(limit);
  if (Number.isInteger(number) && number >= 1 && number <= MAX_RUNS) return number;
  throw new AdminError(400, 'bad_request', `"limit" must be a whole number from 1 to ${MAX_RUNS}, got "${limit}"`);
}

function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw new AdminError(400, 'bad_request', 'the body must be an object with "step"');
}

async function shownTrigger(service: CronService, timeline: Timeline): Promise<unknown> {
  const { key, expression, timezone, paused, dropped } = timeline;
  const next = timeline.nextAt();
  const [lastRun] = await service.runs(timeline, 1);
  return {
    ...key, expression, timezone, paused, nextAt: next === undefined || paused ? null : iso(next),
    ...lastRun && { lastRun: shownRun(lastRun) }, ...dropped && { dropped: { ...dropped, at: iso(dropped.at) } },
  };
}

function shownRun(run: CronRun): unknown {
  return { ...run, scheduledAt: iso(run.scheduledAt), firedAt: iso(run.firedAt) };
}

const iso = (time: number): string => new Date(time).toISOString();
