import type { GuardFacts } from '@treadle/api';
import type { HttpTrigger } from '../routing/http-trigger.js';
import { takesBody } from './request-body.js';

/** An answer of the engine itself that an operation may get. */
interface ProblemRow {
  readonly status: number;
  /** What it is kept under in `components.responses`. */
  readonly name: string;
  readonly description: string;
  readonly codes: readonly string[];
  /** Default: every operation may get it. */
  readonly concerns?: (trigger: HttpTrigger, guards: readonly GuardFacts[]) => boolean;
}

const PROBLEMS: readonly ProblemRow[] = [
  {
    status: 400, name: 'BadRequest', codes: ['validation_failed', 'invalid_json', 'bad_request'],
    description: 'The request is malformed, or its body, query or headers do not fit their schema',
  },
  {
    status: 401, name: 'Unauthorized', codes: ['unauthorized'], description: 'Valid credentials are needed',
    concerns: (_trigger, guards) => guards.some(({ optional }) => optional !== true),
  },
  { status: 408, name: 'RequestTimeout', codes: ['request_timeout'], description: 'The request did not arrive in time', concerns: takesBody },
  { status: 413, name: 'BodyTooLarge', codes: ['body_too_large'], description: 'The body is too large', concerns: takesBody },
  {
    status: 415, name: 'UnsupportedMediaType', codes: ['unsupported_media_type'], description: 'The body has a type or an encoding that is not taken',
    concerns: takesBody,
  },
  {
    status: 422, name: 'ConditionNotMet', codes: ['condition_not_met'], description: 'The condition of the Step is not met',
    concerns: ({ condition }) => condition !== undefined,
  },
  {
    status: 500, name: 'InternalError', codes: ['unhandled_exception', 'invalid_handler_result'],
    description: 'The handler threw, or gave an unusable result',
  },
  { status: 502, name: 'WorkerLost', codes: ['worker_lost'], description: 'The Step process died during the request' },
  {
    status: 503, name: 'Unavailable', codes: ['no_worker', 'overloaded', 'draining', 'starting', 'queue_full', 'storage_full'],
    description: 'The request cannot be served at the moment; Retry-After says when to try again',
  },
  { status: 504, name: 'HandlerTimeout', codes: ['handler_timeout'], description: 'The handler took too long' },
];

const TEXT = { type: 'string' };

/** Body of every error that the engine itself answers with. */
export const PROBLEM_SCHEMA: object = {
  type: 'object',
  required: ['error', 'code', 'traceId'],
  properties: {
    error: { ...TEXT, description: 'For people' },
    code: { ...TEXT, description: 'For machines' },
    traceId: { ...TEXT, pattern: '^[0-9a-f]{32}$', example: '4bf92f3577b34da6a3ce929d0e0e4736' },
    issues: {
      type: 'array', maxItems: 20, description: 'With code validation_failed',
      items: { type: 'object', required: ['in', 'path', 'message', 'code'], properties: { in: TEXT, path: TEXT, message: TEXT, code: TEXT } },
    },
  },
};

/** Reference to `PROBLEM_SCHEMA` in a document. */
export const PROBLEM_REF: object = { $ref: '#/components/schemas/Problem' };

/** Every response names its trace. */
export const TRACE_HEADER: object = { 'x-trace-id': { $ref: '#/components/headers/TraceId' } };

/** `components.responses`, as far as the operations refer to them. */
export function problemComponents(paths: object): Readonly<Record<string, object>> {
  const text = JSON.stringify(paths);
  const used = PROBLEMS.filter((row) => text.includes(JSON.stringify(referenceTo(row))));
  return Object.fromEntries(used.map((row) => [row.name, {
    description: describeProblem(row),
    headers: row.status === 503 ? { ...TRACE_HEADER, 'retry-after': { description: 'Seconds', schema: { type: 'integer', minimum: 0 } } } : TRACE_HEADER,
    content: { 'application/json': { schema: PROBLEM_REF } },
  }]));
}

/** What the engine itself, or a guard in front of a trigger, may answer to its requests, by status. */
export function problemsOf(trigger: HttpTrigger, guards: readonly GuardFacts[]): ReadonlyMap<number, { readonly reference: object; readonly description: string }> {
  const rows = PROBLEMS.filter(({ concerns }) => concerns?.(trigger, guards) ?? true);
  return new Map(rows.map((row) => [row.status, {
    reference: referenceTo(row), description: describeProblem(row),
  }]));
}

const referenceTo = ({ name }: ProblemRow): object => ({ $ref: `#/components/responses/${name}` });

function describeProblem({ description, codes }: ProblemRow): string {
  return `${description} (${codes.join(', ')}).`;
}
