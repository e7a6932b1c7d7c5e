import type { StepRecord, TriggerRef } from '@treadle/api';
import { type CorsPolicy, corsPolicy } from '../response/cors.js';
import type { HttpConfig, ResponseValidation } from '../http.config.js';
import { type HttpTrigger, MAX_RAW_BODY_LIMIT, triggerCors } from './http-trigger.js';
import type { RequestOutcome } from '../telemetry/completed-request.js';
import type { RoutePath } from './route-grammar.js';
import { SchemaCheck } from '@treadle/json';
import { isBinary, lowerCaseHeaderNames, type QueryArrays, queryArrays, takesBytes } from './trigger-schemas.js';

/** An engine's own route, served by Koa. */
export interface EngineRoute {
  readonly kind: 'engine';
}

export type AnyRoute = StepRoute | EngineRoute;

/** Everything about an http trigger that does not depend on the request, worked out when it is bound. */
export interface StepRoute {
  readonly kind: 'step';
  readonly step: StepRecord;
  readonly trigger: TriggerRef;
  readonly method: string;
  readonly path: RoutePath;
  /** The path as the Step wrote it; the bounded label for metrics. */
  readonly label: string;
  readonly bodyLimit: number;
  readonly timeoutMs: number;
  readonly rawBody: boolean;
  readonly cors: CorsPolicy | undefined;
  readonly body: SchemaCheck | undefined;
  /** The body schema describes no JSON, or there is none. */
  readonly takesBytes: boolean;
  /** Middleware in the Step's process sees a request before it is refused by a schema. */
  readonly guarded: boolean;
  /** Its method changes nothing, so a request may run twice. @see RFC 9110, section 9.2.1 */
  readonly isSafe: boolean;
  /** A request without a body is not checked. */
  readonly bodyOptional: boolean;
  readonly query: SchemaCheck | undefined;
  /** Undefined without a query schema: all repeated values stay arrays. */
  readonly queryArrays: QueryArrays | undefined;
  readonly headers: SchemaCheck | undefined;
  /** By status; undefined when nothing is to be checked. */
  readonly responses: ReadonlyMap<number, SchemaCheck> | undefined;
  /** Statuses whose schema means bytes: JSON Schema cannot judge these. */
  readonly binaryResponses: ReadonlySet<number>;
  readonly responseValidation: ResponseValidation;
  /** What middleware answers is checked, too. */
  readonly validateMiddleware: boolean;
  /** Keys of results that mean nothing and were told. */
  readonly toldKeys: Set<string>;
  /** What telemetry keeps of it, by status. */
  readonly outcomes: Map<number, RequestOutcome>;
  /** The same trigger under other defaults. */
  readonly again: (defaults: StepRouteDefaults) => StepRoute;
}

/** As `GET /users/:id`. */
export function routeName({ method, label }: Pick<StepRoute, 'method' | 'label'>): string {
  return `${method} ${label}`;
}

export interface StepRouteDefaults {
  readonly config: HttpConfig;
  readonly cors: CorsPolicy | undefined;
}

/** Prepares a trigger. @throws Error when a schema cannot be compiled */
export function stepRoute(
  step: StepRecord, trigger: HttpTrigger, at: { readonly ref: TriggerRef; readonly path: RoutePath }, defaults: StepRouteDefaults,
): StepRoute {
  const { config } = defaults;
  const cors = triggerCors(trigger);
  const { bodySchema, querySchema, headersSchema } = trigger;
  const isSafe = trigger.method === 'GET' || trigger.method === 'HEAD';
  const responseValidation = trigger.responseValidation ?? config.response_validation;
  return {
    kind: 'step', step, trigger: at.ref, method: trigger.method, path: at.path, label: trigger.path,
    bodyLimit: bodyLimit(trigger, config),
    timeoutMs: trigger.timeoutMs ?? config.handler_timeout_ms,
    rawBody: trigger.rawBody ?? false,
    cors: cors ? corsPolicy(cors) : defaults.cors,
    body: bodySchema === undefined ? undefined : new SchemaCheck(bodySchema, 'body'),
    takesBytes: bodySchema === undefined || takesBytes(bodySchema),
    guarded: (trigger.middleware ?? 0) > 0,
    isSafe,
    bodyOptional: isSafe,
    query: querySchema === undefined ? undefined : new SchemaCheck(querySchema, 'query', true),
    queryArrays: querySchema === undefined ? undefined : queryArrays(querySchema),
    headers: headersSchema === undefined ? undefined : new SchemaCheck(lowerCaseHeaderNames(headersSchema), 'headers'),
    responses: responseValidation === 'off' ? undefined : responseChecks(trigger),
    binaryResponses: new Set(Object.entries(trigger.responseSchema ?? {}).filter(([, schema]) => isBinary(schema)).map(([status]) => Number(status))),
    responseValidation, validateMiddleware: trigger.validateMiddleware ?? false,
    toldKeys: new Set(),
    outcomes: new Map(),
    again: (others) => stepRoute(step, trigger, at, others),
  };
}

function bodyLimit(trigger: HttpTrigger, config: HttpConfig): number {
  const limit = trigger.bodyLimit ?? config.body_limit_bytes;
  return trigger.rawBody ? Math.min(limit, MAX_RAW_BODY_LIMIT) : limit;
}

function responseChecks(trigger: HttpTrigger): ReadonlyMap<number, SchemaCheck> | undefined {
  const entries = Object.entries(trigger.responseSchema ?? {});
  if (entries.length === 0) return undefined;
  return new Map(entries.map(([status, schema]) => [Number(status), new SchemaCheck(schema, 'response')]));
}
