import { type AdminCatalog, type AdminRoute, type EngineInfo, parseClassId } from '@treadle/api';
import type { OwnRoute } from './own-route.js';
import { moduleOperation, type Operation, ownOperation, typeOf } from './operation.js';
import { comparesRevisions } from './precondition.js';

const BASE = '/api/v1';
const COMPONENT = '#/components/schemas/';
/** A part that stands for a value; a class such as `modules::state::StateModule` has none. */
const PARAMETER = /(?<=\/):(\w+)(?=\/|$)/g;

/** An operation with what is said of it. */
interface ShownRoute extends Operation {
  /** Undefined: it sees to them itself. */
  readonly takes: readonly string[] | undefined;
  readonly summary: string | undefined;
  /** The part of the API that it belongs to. */
  readonly tag: string;
}

const REQUEST_ID = { 'X-Request-Id': { schema: { type: 'string' }, description: 'Names the request in the audit, in the log and in a refusal' } };
const ETAG = { ETag: { schema: { type: 'string' }, description: 'The revision in quotes, for `If-Match`' } };
const IF_MATCH = { name: 'If-Match', in: 'header', schema: { type: 'string', pattern: String.raw`^"\d{1,15}"$` }, description: 'The revision that there must be, in quotes, as `ETag` gives it, instead of `revision` in the body: else 409 `conflict`' };
const REFUSED = { description: 'refused', headers: REQUEST_ID, content: { 'application/problem+json': { schema: { $ref: `${COMPONENT}Problem` } } } };

type Engine = Pick<EngineInfo, 'version'>;

/** `GET /api/v1`: where everything is. */
export function apiIndex(catalog: AdminCatalog, { version }: Engine, own: readonly OwnRoute[]): object {
  const items = shownRoutes(catalog, own).map(({ method, path, takes, summary, events }) => (
    { method, path, summary, ...takes && takes.length > 0 && { takes }, ...events && { events } }));
  return { version, openapi: `${BASE}/openapi.json`, items };
}

/** `GET /api/v1/openapi.json`, for clients that are generated. The schemas are loaded when they are asked for. */
export async function openApiDocument(catalog: AdminCatalog, { version }: Engine, own: readonly OwnRoute[]): Promise<object> {
  const { ANSWER_TYPES, ANSWERS, BODIES, TEXTS } = await import('./answer-schemas.generated.js');
  const paths: Record<string, Record<string, object>> = {};
  for (const route of shownRoutes(catalog, own)) {
    const path = route.path.replaceAll(PARAMETER, '{$1}');
    const answer = typeOf(route, ANSWERS);
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(route, { answer, tagged: hasRevision(answer, ANSWER_TYPES), body: typeOf(route, BODIES), texts: typeOf(route, TEXTS) });
  }
  return {
    openapi: '3.1.0', info: { title: 'Treadle admin API', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } }, servers: [{ url: '/' }], security: [{ token: [] }], paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: ANSWER_TYPES,
    },
  };
}

interface Schemas {
  /** Undefined: any JSON. */
  readonly answer: object | undefined;
  /** The answer has a revision. */
  readonly tagged: boolean;
  /** Undefined: an object with what the route takes. */
  readonly body: object | undefined;
  /** Undefined: the answer is JSON. */
  readonly texts: readonly string[] | undefined;
}

function operation(route: ShownRoute, schemas: Schemas): object {
  const { method, path, summary, tag, takes } = route;
  const changes = method === 'POST' || method === 'PUT';
  return {
    operationId: operationId(route), summary: summary ?? `${method} ${path}`, tags: [tag],
    parameters: [
      ...[...path.matchAll(PARAMETER)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
      ...changes ? [] : (takes ?? []).map((name) => ({ name, in: 'query', schema: { type: 'string' } })),
      ...method === 'GET' ? [] : [{ name: 'X-Console', in: 'header', required: true, schema: { type: 'string', const: '1' } }],
      ...comparesRevisions(route) ? [IF_MATCH] : [],
    ],
    ...changes && { requestBody: bodyOf(schemas.body ?? objectOf(takes)) },
    responses: { ...success(route, schemas), '4XX': REFUSED, '5XX': REFUSED },
  };
}

function bodyOf(schema: object): object {
  return { ...'required' in schema && { required: true }, content: { 'application/json': { schema } } };
}

function success({ events }: ShownRoute, { answer = {}, tagged, texts }: Schemas): object {
  if ('type' in answer && answer.type === 'null') return { 204: { description: 'done', headers: REQUEST_ID } };
  const types = events ? ['text/event-stream'] : texts;
  const content = types ? Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }])) : { 'application/json': { schema: answer } };
  return { 200: { description: 'done', headers: { ...REQUEST_ID, ...tagged && ETAG }, content } };
}

/** Whether an answer, or one of the forms that it may have, has a revision of its own. */
function hasRevision(schema: object | undefined, types: Readonly<Record<string, object>>): boolean {
  const { $ref, anyOf = [], properties } = (schema ?? {}) as { readonly $ref?: string; readonly anyOf?: readonly object[]; readonly properties?: Readonly<Record<string, object>> };
  if ($ref !== undefined) return hasRevision(types[$ref.slice(COMPONENT.length)], types);
  return properties?.['revision'] !== undefined || anyOf.some((one) => hasRevision(one, types));
}

/** The body of a route without a type: of its arguments only the names are known. */
function objectOf(takes: readonly string[] | undefined): object {
  if (!takes) return { type: 'object' };
  return { type: 'object', properties: Object.fromEntries(takes.map((name) => [name, {}])), additionalProperties: false };
}

/** Stable while method and path are: `get_queues_dead_letters_by_id`. */
function operationId({ method, path }: ShownRoute): string {
  const words = path.slice(BASE.length).replaceAll(':', 'by_').replaceAll(/[^A-Za-z0-9]+/g, '_').replaceAll(/^_|_$/g, '');
  return `${method.toLowerCase()}_${words || 'index'}`;
}

function shownRoutes(catalog: AdminCatalog, own: readonly OwnRoute[]): readonly ShownRoute[] {
  const ours = own.map((route): ShownRoute => ({ ...ownOperation(route), takes: route.takes, summary: route.summary, tag: 'engine' }));
  const theirs = catalog.routes().map((route): ShownRoute => ({
    ...moduleOperation(catalog, route), takes: route.takes, summary: route.summary, tag: tagOf(route),
  }));
  return [...ours, ...theirs].sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)) || (a.method < b.method ? -1 : 1));
}

function tagOf({ classId }: AdminRoute): string {
  return parseClassId(classId)?.block ?? classId;
}
