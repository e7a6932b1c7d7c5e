import type { HttpOutcome } from '../../api/types.generated.js';
import type { Endpoint } from './endpoint.js';
import { schemaIssues } from './schema-issues.js';

/** How an answer goes with what the trigger declares for its status. */
export type ReplyCheck =
  | { readonly is: 'fits' | 'undeclared' }
  | { readonly is: 'breaks'; readonly issues: readonly string[] }
  /** `why`: e.g. its body is not whole. */
  | { readonly is: 'unchecked'; readonly why: string };

const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i;

/** Holds an answer to the schema of its status, as the engine holds what a handler returns; undefined where the trigger declares none at all. */
export function checkReply({ method, responses }: Pick<Endpoint, 'method' | 'responses'>, outcome: HttpOutcome): ReplyCheck | undefined {
  if (Object.keys(responses).length === 0) return undefined;
  const schema = responses[String(outcome.status)];
  if (schema === undefined) return { is: 'undeclared' };
  const { status, bytes, base64, truncated } = outcome;
  // A bare error says all that it has to say.
  if (bytes === 0) return method === 'HEAD' || BODILESS.has(status) || status >= 400 ? { is: 'fits' } : { is: 'breaks', issues: ['body: there is none'] };
  if (truncated || base64) return { is: 'unchecked', why: truncated ? 'its body is longer than what is kept' : 'its body is no text' };
  return checkValue(schema, valueOf(outcome), status);
}

function checkValue(schema: object | boolean, value: unknown, status: number): ReplyCheck {
  if (value === undefined) return { is: 'breaks', issues: ['body: it is no JSON'] };
  if (status >= 400 && isProblem(value)) return { is: 'unchecked', why: 'it has the form of the engine’s own errors' };
  try {
    const issues = schemaIssues(schema, value);
    return issues.length === 0 ? { is: 'fits' } : { is: 'breaks', issues };
  } catch (error) {
    return { is: 'unchecked', why: `its schema cannot be read here: ${(error as Error).message}` };
  }
}

/** A body of another type than JSON is a text. */
function valueOf({ headers, body }: HttpOutcome): unknown {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  if (!JSON_TYPE.test(type)) return body;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined; // JSON has no such value.
  }
}

function isProblem(value: unknown): boolean {
  const members = (value ?? {}) as Readonly<Record<string, unknown>>;
  return ['error', 'code', 'traceId'].every((name) => typeof members[name] === 'string');
}
