import type { GuardFacts, StepConfigRecord, StepRecord } from '@treadle/api';
import type { HttpTrigger } from '../routing/http-trigger.js';
import { parseRoutePath } from '../routing/route-grammar.js';
import type { ApplicationFacts } from './application-facts.js';
import { operation, type OperationSource } from './operation.js';
import { type TemplatePath, templatePath } from './parameters.js';
import { PROBLEM_SCHEMA, problemComponents } from './problem-responses.js';
import { SchemaBook } from './schema-book.js';
import { SecurityBook } from './security.js';

/** What a document is made of. */
export interface OpenApiSource extends ApplicationFacts {
  /** Name of the application. */
  readonly title: string;
  /** Declarations of streams among them are left out. */
  readonly steps: readonly StepRecord[];
  /** Where the application is served, e.g. `https://api.example`; none: wherever the document comes from. */
  readonly servers?: readonly string[];
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly license?: { readonly name: string; readonly identifier: string } };
  readonly servers: readonly { readonly url: string }[];
  readonly tags?: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly components: Readonly<Record<string, object>>;
}

/**
 * Describes the http triggers of Steps: an operation each, named after its Step, with every declared status and what the engine
 * itself may answer. The same Steps give the same document. Left out are triggers that cannot serve. OpenAPI cannot tell `/a/:x` and `/a/*x` apart:
 * they are one path, and of one method the first is described and names the other. Of `security` it says what guards say of themselves; an operation without it may be guarded by other middleware.
 * @source https://spec.openapis.org/oas/v3.1.0
 */
export function openApiDocument({ title, version, license, steps, servers = [] }: OpenApiSource): OpenApiDocument {
  const book = { schemas: new SchemaBook(['Problem']), security: new SecurityBook() };
  const paths: Record<string, Record<string, object>> = {};
  const sources = operationSources(steps);
  for (const source of sources) {
    const item = paths[source.path.template] ??= {};
    const method = source.trigger.method.toLowerCase();
    const first = item[method];
    item[method] = first === undefined ? operation(source, book) : withRest(first, source);
  }
  const { components: securitySchemes } = book.security;
  const tags = [...new Set(sources.flatMap(({ config }) => config.flows ?? []))].sort().map((name) => ({ name, description: `Routes of the flow "${name}"` }));
  return {
    openapi: '3.1.0',
    info: { title, version, ...license !== undefined && { license: { name: license, identifier: license } } },
    servers: (servers.length > 0 ? servers : ['/']).map((url) => ({ url })),
    ...(tags.length > 0 && { tags }),
    paths,
    components: {
      schemas: { Problem: PROBLEM_SCHEMA, ...book.schemas.components },
      responses: problemComponents(paths),
      headers: { TraceId: { description: 'Trace of the request', schema: { type: 'string', pattern: '^[0-9a-f]{32}$', example: '4bf92f3577b34da6a3ce929d0e0e4736' } } },
      ...(Object.keys(securitySchemes).length > 0 && { securitySchemes }),
    },
  };
}

/** An operation that says what else answers below its path; of two Steps with one route only the first serves. */
function withRest(first: object, { config, trigger }: OperationSource): object {
  if (!/\/\*[^/]*$/.test(trigger.path)) return first;
  const { description, ...rest } = first as { readonly description?: string };
  const note = `Paths with more segments, and the empty one, are answered by "${config.name}", ${trigger.method} ${trigger.path}.`;
  return { ...rest, description: description === undefined ? note : `${description}\n\n${note}` };
}

interface Route {
  readonly config: StepConfigRecord;
  readonly trigger: HttpTrigger;
  readonly guards: readonly GuardFacts[];
  readonly shape: string;
  /** The shape as far as OpenAPI tells it from others. */
  readonly place: string;
}

function operationSources(steps: readonly StepRecord[]): readonly OperationSource[] {
  const named = new Set<string>();
  const taken = new Set(steps.map(({ config }) => fitId(config.name)));
  const routes = steps.flatMap((step) => routesOf(step).map((route) => ({ ...route, operationId: uniqueId(fitId(route.config.name), named, taken) })))
    .sort((a, b) => compare(a.place, b.place) || compare(b.shape, a.shape) || compare(a.trigger.path, b.trigger.path) || compare(a.trigger.method, b.trigger.method));
  // To OpenAPI two paths that differ only in the names of parameters are one: the first one's names are used.
  const paths = new Map<string, TemplatePath>();
  return routes.map(({ shape: _shape, place, ...route }) => {
    const { path } = route.trigger;
    const first = paths.get(place) ?? templatePath(path);
    paths.set(place, first);
    return { ...route, path: templatePath(path, first.names) };
  });
}

/** Generators of clients make names of functions of it. */
const fitId = (name: string): string => name.replace(/[^A-Za-z0-9._-]/g, '_');

function routesOf({ config, role = 'step', guards = [] }: StepRecord): readonly Route[] {
  if (role !== 'step') return [];
  return config.triggers.flatMap((trigger, index) => {
    if (trigger.type !== 'http') return [];
    const parsed = parseRoutePath(String(trigger['path']));
    return 'fault' in parsed ? [] : [{ config, trigger: trigger as HttpTrigger, guards: guards[index] ?? [], shape: parsed.shape, place: parsed.shape.replace(/\*$/, ':') }];
  });
}

/** The Step's name; its further routes are numbered as the Step lists them, past names that other Steps have. */
function uniqueId(name: string, named: Set<string>, taken: ReadonlySet<string>): string {
  let id = name;
  for (let number = 2; named.has(id) || (id !== name && taken.has(id)); number++) id = `${name}_${number}`;
  named.add(id);
  return id;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
