import type { ConfigSchema } from '@treadle/api';
import { certain } from './schema-shape.js';

/** Values that an error lists of a longer `enum`. */
const MAX_LISTED = 12;

/** What a schema asks for, in a few words: `integer 1-65535`, `one of "a", "b"`, `list of strings`. */
export function describeSchema(schema: ConfigSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return describeEnum(schema.enum);
  if (schema.type !== undefined) return [schema.type].flat().map((type) => describeType(type, schema)).join(' or ');
  const branches = schema.anyOf ?? schema.oneOf ?? certain(schema).slice(1);
  const described = branches.map(describeSchema).filter((text) => text !== 'a value');
  return described.length > 0 ? [...new Set(described)].join(' or ') : 'a value';
}

function describeEnum(values: readonly unknown[]): string {
  const listed = values.slice(0, MAX_LISTED).map((value) => JSON.stringify(value)).join(', ');
  const more = values.length > MAX_LISTED ? `, … (${values.length - MAX_LISTED} more)` : '';
  return values.length === 1 ? listed : `one of ${listed}${more}`;
}

function describeType(type: string, schema: ConfigSchema): string {
  switch (type) {
    case 'integer':
    case 'number': return type + describeRange(schema) + (schema['x-unit'] ? ` (${schema['x-unit']})` : '');
    case 'boolean': return 'true or false';
    case 'array': return describeList(schema);
    case 'object': return 'map';
    default: return type;
  }
}

function describeRange({ minimum, maximum }: ConfigSchema): string {
  if (minimum === undefined && maximum === undefined) return '';
  if (maximum === undefined) return ` >= ${minimum}`;
  if (minimum === undefined) return ` <= ${maximum}`;
  return minimum < 0 ? ` from ${minimum} to ${maximum}` : ` ${minimum}-${maximum}`;
}

const PLURALS: Readonly<Record<string, string>> = {
  string: 'strings', integer: 'integers', number: 'numbers', boolean: 'true or false', object: 'maps', array: 'lists',
};

function describeList({ items }: ConfigSchema): string {
  const plural = typeof items?.type === 'string' && items.enum === undefined ? PLURALS[items.type] : undefined;
  return plural === undefined ? 'list' : `list of ${plural}`;
}
