import { STATUS_CODES } from 'node:http';
import type { GuardFacts, StepConfigRecord } from '@treadle/api';
import type { HttpTrigger } from '../routing/http-trigger.js';
import { contentOf } from './media-types.js';
import { parameters, type TemplatePath } from './parameters.js';
import { PROBLEM_REF, problemsOf, TRACE_HEADER } from './problem-responses.js';
import { requestBody } from './request-body.js';
import type { SchemaBook } from './schema-book.js';
import type { SecurityBook } from './security.js';

/** Statuses whose responses never have a body. */
const BODILESS = new Set([204, 205, 304]);

/** In characters; beyond it tools cut it or complain. */
const LONGEST_SUMMARY = 120;

/** What one http trigger of a Step becomes. */
export interface OperationSource {
  readonly config: StepConfigRecord;
  readonly trigger: HttpTrigger;
  /** In front of it. */
  readonly guards: readonly GuardFacts[];
  /** Unique in the document. */
  readonly operationId: string;
  readonly path: TemplatePath;
}

/** What operations of one document have in common. */
export interface Books {
  readonly schemas: SchemaBook;
  readonly security: SecurityBook;
}

/** The operation object of one http trigger. */
export function operation({ config, trigger, guards, operationId, path }: OperationSource, { schemas, security }: Books): object {
  const { description, flows = [] } = config;
  const listed = parameters(trigger, path, schemas, operationId);
  const body = requestBody(trigger, schemas, operationId);
  const needs = security.needs(guards);
  return {
    operationId,
    summary: summaryOf(config),
    ...(description !== undefined && { description }),
    ...(flows.length > 0 && { tags: [...flows] }),
    ...(listed.length > 0 && { parameters: listed }),
    ...(body && { requestBody: body }),
    ...(needs && { security: needs }),
    responses: responses(trigger, problemsOf(trigger, guards), schemas, operationId),
  };
}

/** One line for lists: the first one of the description, else the Step's name. */
function summaryOf({ name, description = '' }: StepConfigRecord): string {
  const [line = ''] = description.trim().split('\n', 1);
  if (line === '') return name;
  return line.length <= LONGEST_SUMMARY ? line : `${line.slice(0, LONGEST_SUMMARY - 1)}…`;
}

/** Every declared status, and what the engine itself may answer. */
function responses(trigger: HttpTrigger, problems: ReturnType<typeof problemsOf>, book: SchemaBook, name: string): object {
  const declared = new Map(Object.entries(trigger.responseSchema ?? {}).map(([status, schema]) => [Number(status), schema]));
  const all = [...new Set([...declared.keys(), ...problems.keys()])].sort((a, b) => a - b);
  const entries = all.map((status): [string, object] => {
    const problem = problems.get(status);
    const schema = declared.get(status);
    if (schema === undefined) return [String(status), problem?.reference ?? {}];
    return [String(status), declaredResponse(status, contentOf(schema, () => book.place(schema, `${name}.${status}`)), problem?.description)];
  });
  const succeeds = [...declared.keys()].some((status) => status < 400);
  const otherwise = { description: 'What the Step answers; it declares no schema for it.', headers: TRACE_HEADER };
  return { ...Object.fromEntries(entries), ...(!succeeds && { default: otherwise }) };
}

/** `engine` says when the engine answers with this status as well. */
function declaredResponse(status: number, content: ReturnType<typeof contentOf>, engine: string | undefined): object {
  const description = [`${STATUS_CODES[status] ?? 'Declared by the Step'}.`, ...(engine === undefined ? [] : [`Also from the engine: ${engine}`])].join(' ');
  return { description, headers: TRACE_HEADER, ...(!BODILESS.has(status) && { content: engine === undefined ? content : withProblem(content) }) };
}

function withProblem(content: ReturnType<typeof contentOf>): object {
  const own = content['application/json']?.schema;
  return { ...content, 'application/json': { schema: own === undefined ? PROBLEM_REF : { anyOf: [own, PROBLEM_REF] } } };
}
