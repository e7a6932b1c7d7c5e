import type { Diagnostic, StepRecord, TriggerRecord } from '@treadle/api';
import { declaredKinds, type EnginePlan } from '@treadle/kernel';
import { roleOfFile } from '@treadle/worker';
import { setupName } from '@treadle/worker/setup-name';
import { readCatalog } from '../check/application-catalog.js';
import type { Environment } from '../application/dotenv.js';

/** A Step as `treadle steps` lists it. */
export interface ListedStep {
  readonly step: string;
  readonly description?: string;
  /** As their kinds print them, e.g. `GET /users/:id`. */
  readonly triggers: readonly string[];
  /** Topics. */
  readonly enqueues: readonly string[];
  readonly flows: readonly string[];
  readonly file: string;
}

/** A route as `treadle routes` lists it. */
export interface ListedRoute {
  readonly method: string;
  readonly path: string;
  readonly step: string;
  readonly file: string;
  /** Files of middleware that hold for it, the outermost first. */
  readonly middleware: readonly string[];
}

/** A setup as `treadle steps` lists it. */
export interface ListedSetup {
  /** What handlers read it by. */
  readonly setup: string;
  readonly file: string;
}

/** The Steps of an application, by name, and what is wrong with those that are missing. */
export interface Listing {
  readonly steps: readonly StepRecord[];
  readonly setups: readonly ListedSetup[];
  readonly faults: readonly Diagnostic[];
  readonly labelOf: (trigger: TriggerRecord) => string;
}

/** Imports the Step files as `check` does; starts nothing. */
export async function listSteps(plan: EnginePlan, env: Environment): Promise<Listing> {
  const { files, records, diagnostics } = await readCatalog(plan, env, true);
  const kinds = new Map(declaredKinds(plan).map((kind) => [kind.type, kind]));
  return {
    steps: records.filter(({ role = 'step' }) => role === 'step').sort((a, b) => (a.id < b.id ? -1 : 1)),
    setups: files.filter(({ file }) => roleOfFile(file) === 'setup').map(({ file }) => ({ setup: setupName(file), file })),
    faults: diagnostics.filter(({ severity }) => severity === 'error'),
    labelOf: (trigger) => kinds.get(trigger.type)?.label?.(trigger) ?? trigger.type,
  };
}

export function listedStep({ id, file, config }: StepRecord, labelOf: Listing['labelOf']): ListedStep {
  const { description, triggers, enqueues = [], flows = [] } = config;
  return { step: id, ...(description !== undefined && { description }), triggers: triggers.map(labelOf), enqueues, flows, file };
}

/** Sorted by path, then by method. */
export function listedRoutes(steps: readonly StepRecord[]): readonly ListedRoute[] {
  const routes = steps.flatMap(({ id, file, config, middleware = [] }) => config.triggers.flatMap(({ type, method, path }, index) => (
    type === 'http' ? [{ method: String(method), path: String(path), step: id, file, middleware: middleware[index] ?? [] }] : []
  )));
  return routes.sort((a, b) => (a.path === b.path ? compare(a.method, b.method) : compare(a.path, b.path)));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : 1;
}
