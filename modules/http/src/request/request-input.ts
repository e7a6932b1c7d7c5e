import type { ValidationIssue } from '@treadle/api';
import type { SchemaRefusal } from '@treadle/json';
import type { HttpInput, InputRefusal } from '@treadle/protocol';
import { type HandlerBody, NO_BODY } from '../body/handler-body.js';
import { type OrProblem, Problem, validationFailed } from '../response/problem.js';
import type { StepRoute } from '../routing/step-route.js';
import type { Exchange } from './exchange.js';
import { parseQuery, type Query, shapeQuery } from './query.js';
import { plainHeaders, repeatedHeaders } from './request-head.js';

/** Of the path, by name; undefined when it has none. */
export type PathParams = Record<string, string> | undefined;

/**
 * Makes the handler's first argument, or says why the request does not fit the trigger's schemas. With middleware in the Step's process the
 * fault goes there with the request, to be told once the middleware has let it pass; of what can be wrong with a body that is its JSON alone.
 */
export function readInput(exchange: Exchange, route: StepRoute, params: PathParams, received: OrProblem<HandlerBody>): OrProblem<HttpInput> {
  const { request, queryText } = exchange;
  const fault = received instanceof Problem ? received : undefined;
  if (fault !== undefined && !(route.guarded && fault.code === 'invalid_json')) return fault;
  const body = received instanceof Problem ? NO_BODY : received;
  let query: Query | undefined;
  if (queryText !== '' || route.query !== undefined) {
    const parsed = parseQuery(queryText);
    if (parsed instanceof Problem) return parsed;
    query = parsed;
  }
  const headers = plainHeaders(request);
  const refused = fault ?? invalid(route, { body, query, headers, queryBytes: queryText.length });
  if (refused !== undefined && !route.guarded) return refused;
  const input = {
    ip: exchange.core.clients.of(request), method: request.method as string, path: exchange.path, pathParams: params, query, headers,
    headersAll: repeatedHeaders(request), body: body.body, rawBody: body.rawBody, files: body.files,
  };
  return refused === undefined ? input : { ...input, refused: refusalOf(refused) };
}

function invalid(route: StepRoute, parts: Parts): Problem | undefined {
  if (route.body === undefined && route.query === undefined && route.headers === undefined) return undefined;
  const issues = findIssues(route, parts);
  return issues && validationFailed(issues);
}

function refusalOf({ code, error, parts: { issues } }: Problem): InputRefusal {
  return { code: code as InputRefusal['code'], message: error, ...(issues && { issues }) };
}

interface Parts {
  readonly body: HandlerBody;
  readonly query: Query | undefined;
  readonly headers: Record<string, string>;
  readonly queryBytes: number;
}

function findIssues(route: StepRoute, parts: Parts): readonly ValidationIssue[] | undefined {
  const { body, query, headers, queryBytes } = parts;
  if (query && route.queryArrays) shapeQuery(query, route.queryArrays);
  const inBody = bodyRefusal(route, body);
  const inQuery = route.query?.refuse(query, queryBytes);
  const inHeaders = route.headers?.refuse(headers, 0);
  if (!inBody && !inQuery && !inHeaders) return undefined;
  return [...(inBody?.issues ?? []), ...(inQuery?.issues ?? []), ...(inHeaders?.issues ?? [])];
}

function bodyRefusal({ body: check, bodyOptional }: StepRoute, body: HandlerBody): SchemaRefusal | undefined {
  if (body.large !== undefined) return body.refusal;
  // JSON Schema cannot judge bytes; only a schema that does not try lets them come so far.
  return isBytes(body) || (body.value === undefined && bodyOptional) ? undefined : check?.refuse(body.value, body.bytes);
}

function isBytes({ body }: HandlerBody): boolean {
  return body !== undefined && (body.kind === 'base64' || (body.kind === 'stream' && body.as === 'bytes'));
}
