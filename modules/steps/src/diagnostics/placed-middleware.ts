import { dirname } from 'node:path/posix';
import type { ConfigSchema, GuardFacts, LoadedStep, StepFileReport, StepRecord, TriggerRecord } from '@treadle/api';
import { isMiddlewareFile, middlewareFor, middlewareOfOtherLanguage, pathsOf, type PlacedMiddleware } from '@treadle/worker/placement';
import type { Finding } from './finding.js';
import { checkSchema, unknownKey } from './schema-check.js';

const PATH: ConfigSchema = { type: 'string', pattern: '^/' };
const CONFIG: ConfigSchema = {
  type: 'object',
  properties: { path: { anyOf: [PATH, { type: 'array', items: PATH }] }, after: { enum: ['validation'] } },
};
const SUBJECT = { path: 'config', owner: 'the config of middleware' };

interface PlacedFile extends PlacedMiddleware {
  readonly guards: readonly GuardFacts[];
}

interface Reported extends StepFileReport {
  readonly application?: string | undefined;
}

/** Checks the config of a file of middleware. */
export function checkMiddleware({ config }: LoadedStep): readonly Finding[] {
  const known = Object.keys(CONFIG.properties ?? {});
  const unknown = Object.keys((config ?? {}) as object).filter((key) => !known.includes(key));
  return [...checkSchema(config, CONFIG, SUBJECT), ...unknown.map((key) => unknownKey(SUBJECT, key, known))];
}

/** Which files of middleware hold for which Steps; of one that could not be loaded only its place is known. */
export class Placement {
  private readonly byApplication = new Map<string | undefined, PlacedFile[]>();

  constructor(reports: readonly Reported[]) {
    for (const { file, steps, application } of reports) {
      if (!isMiddlewareFile(file)) continue;
      const paths = pathsOf(steps[0]?.config);
      const placed = { file, guards: steps[0]?.guards?.[0] ?? [], ...(paths && { paths }) };
      this.byApplication.set(application, [...this.byApplication.get(application) ?? [], placed]);
    }
  }

  /** The entry of a Step with the middleware that holds for its routes. */
  of(record: StepRecord): StepRecord {
    const all = this.byApplication.get(record.application);
    if (!all) return record;
    const placed = record.config.triggers.map((trigger) => {
      const route = routeOf(trigger);
      return route === undefined ? [] : middlewareFor(all, record.file, route);
    });
    const middleware = placed.map((files) => files.map(({ file }) => file));
    const guards = placed.map((files, index) => [...files.flatMap((file) => file.guards), ...record.guards?.[index] ?? []]);
    if (middleware.every((files) => files.length === 0)) return record;
    const triggers = record.config.triggers.map((trigger, index) => (middleware[index]?.length ? guarded(trigger) : trigger));
    return { ...record, config: { ...record.config, triggers }, middleware, ...guards.some((each) => each.length > 0) && { guards } };
  }

  /** Whoever puts a guard beside a Step of the other language has to hear that it guards nothing. */
  check(record: StepRecord): readonly Finding[] {
    const all = this.byApplication.get(record.application);
    if (!all) return [];
    const idle = new Set(record.config.triggers.flatMap((trigger) => {
      const route = routeOf(trigger);
      if (route === undefined) return [];
      const folders = new Set(middlewareFor(all, record.file, route).map(({ file }) => dirname(file)));
      return middlewareOfOtherLanguage(all, record.file, route).map(({ file }) => file).filter((file) => !folders.has(dirname(file)));
    }));
    const own = record.language === 'python' ? '*_middleware.py' : '*.middleware.ts';
    return [...idle].map((file) => ({
      code: 'STEP_MIDDLEWARE_IDLE', severity: 'warning', message: `the middleware of ${file} does not hold for this Step, which is written in another language`,
      remedy: `write it a second time, as ${own}`,
    }));
  }
}

/** The engine hands over what its own check refuses: middleware may have something to say first. */
function guarded(trigger: TriggerRecord): TriggerRecord {
  return typeof trigger['middleware'] === 'number' && trigger['middleware'] > 0 ? trigger : { ...trigger, middleware: 1 };
}

function routeOf({ type, path }: TriggerRecord): string | undefined {
  return type === 'http' && typeof path === 'string' ? path : undefined;
}
