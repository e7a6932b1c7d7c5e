import { parseQuery, QueryError, type QueryNode } from '@treadle/api';
import { Refusal } from '../server/refusal.js';

/** Arguments whose answer depends on payloads. */
const ABOUT_PAYLOADS = ['text', 'fields', 'attributes'];
/** Fields of queries that are no payloads, by how paths begin below `/api/v1`: the longest says it. Of traces also what the engine notes of spans. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  logs: ['level', 'step', 'trace', 'span', 'message', 'service', 'source'],
  traces: ['trace', 'name', 'route', 'trigger', 'status', 'duration', 'reply', 'spans', 'errors', 'retries', 'step', 'kind', 'topic', 'error', 'span', 'http.status'],
  'traces/messages': ['id', 'step', 'topic', 'attempt', 'state', 'duration', 'time', 'age', 'trace', 'span'],
  state: ['key', 'revision'],
  queues: ['id', 'step', 'topic', 'group', 'attempt', 'state', 'kind', 'time', 'age', 'trace', 'error', 'reason'],
  streams: ['id', 'stream', 'group', 'revision'],
  'streams/watch': ['id', 'stream', 'group', 'type', 'seq', 'time'],
};

export interface Question {
  /** Below `/api/v1`, e.g. `traces/messages`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Attributes that the engine notes of spans. */
  readonly attributes: readonly string[];
}

/** Refuses to tell what a payload holds by what is found, counted or grouped. @throws {Refusal} 403 `payloads_withheld`; of a query, with the characters that ask */
export function refusePayloadQuestions({ path, query, body, attributes }: Question): void {
  const asked = { ...query, ...typeof body === 'object' && !Array.isArray(body) ? body : {} } as Readonly<Record<string, unknown>>;
  const fields = new Set([...fieldsOf(path), ...path.startsWith('traces') ? attributes : []]);
  const asks = ABOUT_PAYLOADS.find((name) => asked[name] !== undefined && asked[name] !== '');
  if (asks !== undefined) throw refusal(`"${asks}" asks for payloads`, fields);
  // Of metrics it is a label, which everybody sees.
  if (typeof asked['by'] === 'string' && !path.startsWith('metrics/') && !fields.has(asked['by'])) throw refusal('"by" names no field that is none of them', fields);
  if (typeof asked['q'] === 'string') refuseIn(asked['q'], fields);
}

function fieldsOf(path: string): readonly string[] {
  const [longest] = Object.keys(FIELDS).filter((begin) => `${path}/`.startsWith(`${begin}/`)).sort((a, b) => b.length - a.length);
  return FIELDS[longest ?? ''] ?? [];
}

function refuseIn(q: string, fields: ReadonlySet<string>): void {
  let tree: QueryNode | undefined;
  try {
    tree = parseQuery(q);
  } catch (error) {
    if (error instanceof QueryError) return; // The route says so.
    throw error;
  }
  if (tree) refuseNode(tree, fields);
}

function refuseNode(node: QueryNode, fields: ReadonlySet<string>): void {
  switch (node.type) {
    case 'and':
    case 'or': return node.parts.forEach((part) => refuseNode(part, fields));
    case 'not': return refuseNode(node.part, fields);
    case 'text': throw refusal('a text without a field is looked for in payloads, too', fields, node);
    case 'has':
    case 'field': if (!fields.has(node.field)) throw refusal(`"${node.field.slice(0, 100)}" may be in a payload`, fields, node);
  }
}

function refusal(why: string, fields: ReadonlySet<string>, at?: { readonly from: number; readonly to: number }): Refusal {
  const remedy = fields.size === 0 ? 'ask without it' : `ask for ${[...fields].filter((field) => !field.includes('.')).join(', ')}`;
  return new Refusal(403, 'payloads_withheld', `your access shows no payloads, and ${why}; ${remedy}`, at && { from: at.from, to: at.to });
}
