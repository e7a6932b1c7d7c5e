import type { ConfigSchema, TriggerIssue, TriggerKindSpec, TriggerRecord } from '@treadle/api';
import { corsConflict } from '../response/cors.js';
import {
  type CorsConfig, MAX_BODY_LIMIT, MAX_HANDLER_TIMEOUT_MS, MIN_HANDLER_TIMEOUT_MS, type ResponseValidation,
} from '../http.config.js';
import { parseRoutePath } from './route-grammar.js';
import { schemaIssues } from '@treadle/json';
import { lowerCaseHeaderNames } from './trigger-schemas.js';
import { HEALTH_PATH } from './health-path.js';

/** Methods that a trigger may name. */
const TRIGGER_METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Paths that the engine answers itself. */
const RESERVED_PATHS: readonly string[] = [HEALTH_PATH];

/** Largest body of a trigger with `rawBody`: its bytes travel inside one message to the worker. */
export const MAX_RAW_BODY_LIMIT = 8 * 1024 * 1024;

type Schema = object | boolean;

/** An http trigger after its check; functions have become `true` or a count. */
export interface HttpTrigger extends TriggerRecord {
  readonly type: 'http';
  readonly method: string;
  readonly path: string;
  readonly bodySchema?: Schema;
  readonly querySchema?: Schema;
  readonly headersSchema?: Schema;
  /** By status. */
  readonly responseSchema?: Readonly<Record<string, Schema>>;
  readonly responseValidation?: ResponseValidation;
  readonly validateMiddleware?: boolean;
  /** How many there are. */
  readonly middleware?: number;
  readonly bodyLimit?: number;
  readonly timeoutMs?: number;
  readonly rawBody?: boolean;
  readonly cors?: {
    readonly allowedOrigins: readonly string[];
    readonly allowedMethods?: readonly string[];
    readonly allowedHeaders?: readonly string[];
    readonly exposedHeaders?: readonly string[];
    readonly credentials?: boolean;
    readonly maxAgeSeconds?: number;
  };
}

const schemaOf = (what: string): ConfigSchema => ({ type: ['object', 'boolean'], description: `JSON Schema of ${what}` });
const texts = (description: string): ConfigSchema => ({ type: 'array', items: { type: 'string', minLength: 1 }, description });

const TRIGGER_SCHEMA: ConfigSchema<HttpTrigger> = {
  type: 'object',
  additionalProperties: false,
  required: ['method', 'path'],
  properties: {
    method: { type: 'string', enum: TRIGGER_METHODS, description: 'HTTP method' },
    path: { type: 'string', minLength: 1, description: 'Route: /segments, :name for one segment, a final *rest' },
    bodySchema: schemaOf('the request body'),
    querySchema: schemaOf('the query; its strings are turned into the types it asks for'),
    headersSchema: schemaOf('the request headers'),
    responseSchema: {
      type: 'object', description: 'JSON Schema of the response body by status', additionalProperties: { type: ['object', 'boolean'] },
    },
    responseValidation: { type: 'string', enum: ['enforce', 'warn', 'off'], description: "Instead of the module's response_validation" },
    validateMiddleware: { type: 'boolean', description: 'Hold what middleware answers to responseSchema, too; default false' },
    middleware: { description: "Functions around validation, condition and handler, run in the Step's process; { run, after: 'validation' } for one within it" },
    condition: { description: 'Only true runs the handler; otherwise 422' },
    bodyLimit: { type: 'integer', minimum: 1, maximum: MAX_BODY_LIMIT, 'x-unit': 'bytes', description: 'Largest request body' },
    timeoutMs: {
      type: 'integer', minimum: MIN_HANDLER_TIMEOUT_MS, maximum: MAX_HANDLER_TIMEOUT_MS, 'x-unit': 'ms',
      description: 'Time limit of the handler, to the first byte of a stream',
    },
    rawBody: { type: 'boolean', description: 'Give the handler the bytes of the body too; takes any content type' },
    cors: {
      type: 'object', additionalProperties: false, required: ['allowedOrigins'], description: "Instead of the module's cors",
      properties: {
        allowedOrigins: texts('Exact origins, or * alone'),
        allowedMethods: texts('Methods that a preflight allows'),
        allowedHeaders: texts('Request headers that a preflight allows'),
        exposedHeaders: texts('Response headers that a page may read'),
        credentials: { type: 'boolean', description: 'Allow cookies and authorization' },
        maxAgeSeconds: { type: 'integer', minimum: 0, maximum: 86_400, description: 'How long a browser may keep a preflight' },
      },
    },
  },
};

/** The trigger kind `http`. */
export const HTTP_TRIGGER_KIND: TriggerKindSpec = {
  type: 'http',
  summary: 'Starts the handler for an HTTP request and answers with its result',
  schema: TRIGGER_SCHEMA,
  validate: httpTriggerIssues,
  exclusiveKey: routeKey,
  label: (trigger) => `${String(trigger['method'])} ${String(trigger['path'])}`,
};

/** Two triggers with this key match the same requests; undefined when the path is not one. */
export function routeKey(trigger: TriggerRecord): string | undefined {
  const parsed = parseRoutePath(String(trigger['path']));
  return 'fault' in parsed ? undefined : `${String(trigger['method'])} ${parsed.shape}`;
}

/** What is wrong with an http trigger beyond its schema. */
export function httpTriggerIssues(trigger: TriggerRecord): readonly TriggerIssue[] {
  const http = trigger as HttpTrigger;
  // A path that does not fit the schema has been found by that, and what else there is shall be told with it.
  const route = 'path' in trigger ? routeIssues(http) : [];
  return [...route, ...schemasIssues(http), ...corsIssues(http), ...limitIssues(http)];
}

function routeIssues({ path }: HttpTrigger): TriggerIssue[] {
  const parsed = parseRoutePath(path);
  if ('fault' in parsed) {
    return [{
      key: 'path', code: 'STEP_BAD_ROUTE', message: parsed.fault,
      remedy: 'write /segments, ":name" for one segment, or a final "*rest"',
    }];
  }
  if (!RESERVED_PATHS.includes(path)) return [];
  return [{ key: 'path', code: 'STEP_RESERVED_ROUTE', message: `${path} is answered by the engine`, remedy: 'choose another path' }];
}

function schemasIssues(trigger: HttpTrigger): TriggerIssue[] {
  const { method, bodySchema, querySchema, headersSchema, responseSchema } = trigger;
  const issues: TriggerIssue[] = [
    ...schemaIssues('bodySchema', bodySchema),
    ...schemaIssues('querySchema', querySchema, true),
    ...schemaIssues('headersSchema', headersSchema && lowerCaseHeaderNames(headersSchema)),
  ];
  for (const [status, schema] of Object.entries(responseSchema ?? {})) issues.push(...responseIssues(status, schema));
  if (bodySchema !== undefined && (method === 'GET' || method === 'HEAD')) {
    issues.push({
      key: 'bodySchema', code: 'STEP_BODY_ON_GET', severity: 'warning', message: `a ${method} request has no body as a rule`,
      remedy: 'use querySchema, or another method',
    });
  }
  return issues;
}

function responseIssues(status: string, schema: Schema): readonly TriggerIssue[] {
  if (/^[2-5]\d\d$/.test(status)) return schemaIssues(`responseSchema.${status}`, schema);
  return [{
    key: `responseSchema.${status}`, code: 'STEP_BAD_STATUS', message: `"${status}" is not a status from 200 to 599`,
    remedy: 'use the status as the key, e.g. 200',
  }];
}

function corsIssues(trigger: HttpTrigger): TriggerIssue[] {
  const config = triggerCors(trigger);
  const conflict = config && corsConflict(config);
  return conflict ? [{ key: 'cors', code: 'STEP_BAD_CORS', message: conflict, remedy: 'name the origins' }] : [];
}

function limitIssues({ rawBody, bodyLimit = 0 }: HttpTrigger): TriggerIssue[] {
  if (!rawBody || bodyLimit <= MAX_RAW_BODY_LIMIT) return [];
  return [{
    key: 'bodyLimit', code: 'STEP_BAD_LIMIT', message: `bodyLimit is at most ${MAX_RAW_BODY_LIMIT} together with rawBody`,
    remedy: 'lower it, or take the body as application/octet-stream without rawBody',
  }];
}

/** The trigger's `cors` in the form of the module's. */
export function triggerCors(trigger: HttpTrigger): CorsConfig | undefined {
  const { cors } = trigger;
  if (!cors) return undefined;
  return {
    allowed_origins: cors.allowedOrigins,
    ...(cors.allowedMethods && { allowed_methods: cors.allowedMethods }),
    ...(cors.allowedHeaders && { allowed_headers: cors.allowedHeaders }),
    ...(cors.exposedHeaders && { exposed_headers: cors.exposedHeaders }),
    ...(cors.credentials !== undefined && { credentials: cors.credentials }),
    ...(cors.maxAgeSeconds !== undefined && { max_age_seconds: cors.maxAgeSeconds }),
  };
}
