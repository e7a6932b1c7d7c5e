import { writeJson } from '../../api/json.js';
import { type Schema, schemaOf } from './endpoint.js';

const ANSWERS: Readonly<Record<string, boolean>> = { true: true, false: false };

/** Members of a query by the schema's names and types, as the engine reads them: repeated for an array, else the last. A text that is none of the type stays text. */
export function queryValue(schema: Schema, text: string): Readonly<Record<string, unknown>> {
  const given = new URLSearchParams(text);
  return Object.fromEntries(Object.entries(schemaOf(schema['properties']) ?? {}).flatMap(([name, of]) => {
    const [member, all] = [schemaOf(of) ?? {}, given.getAll(name)];
    if (all.length === 0) return [];
    return [[name, isArray(member) ? all.map((one) => typed(schemaOf(member['items']) ?? {}, one)) : typed(member, all.at(-1) ?? '')]];
  }));
}

/** The query with another value of a member; undefined leaves it out. What the others are stays. */
export function withQueryMember(text: string, name: string, value: unknown): string {
  const query = new URLSearchParams(text);
  query.delete(name);
  for (const one of Array.isArray(value) ? value as readonly unknown[] : value === undefined ? [] : [value]) query.append(name, textOf(one));
  return query.toString();
}

/** The query of an object such as a sample of its schema. */
export function queryText(members: unknown): string {
  return Object.entries(schemaOf(members) ?? {}).reduce((text, [name, value]) => withQueryMember(text, name, value), '');
}

export function isArray({ type }: Schema): boolean {
  return type === 'array';
}

function typed({ type, enum: choices }: Schema, text: string): unknown {
  if (Array.isArray(choices)) return (choices as readonly unknown[]).find((one) => textOf(one) === text) ?? text;
  if ((type === 'number' || type === 'integer') && text !== '' && Number.isFinite(Number(text))) return Number(text);
  return type === 'boolean' ? ANSWERS[text] ?? text : text;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : writeJson(value);
}
