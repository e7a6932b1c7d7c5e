/**
 * Writes `src/messages.ts` from `schemas/messages.schema.json`. Run with `npx tsx src/generate-types.fixture.ts`; a test
 * compares. Own code because the schemas use only a handful of keywords, and what comes out should read like ours.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
}

const SCHEMA = new URL('../schemas/messages.schema.json', import.meta.url);
const TARGET = new URL('./messages.ts', import.meta.url);

/** The TypeScript text that belongs to the schemas. */
export function generateTypes(): string {
  const { $defs } = JSON.parse(readFileSync(SCHEMA, 'utf8')) as { $defs: Record<string, Schema> };
  const blocks = Object.entries($defs).map(([name, schema]) => declaration(name, schema));
  return `// Generated from schemas/messages.schema.json: do not edit.\n/* eslint-disable max-lines */\n\n${blocks.join('\n\n')}\n`;
}

function declaration(name: string, schema: Schema): string {
  const doc = schema.description ? `/** ${schema.description} */\n` : '';
  if (!schema.properties) return `${doc}export type ${name} = ${typeOf(schema)};`;
  const members = Object.entries(schema.properties).map(([key, value]) => member(key, value, schema.required ?? []));
  return `${doc}export interface ${name} {\n${members.join('\n')}\n}`;
}

function member(key: string, schema: Schema, required: readonly string[]): string {
  const optional = !required.includes(key);
  const type = typeOf(schema);
  // An optional member may also be written as undefined, which JSON leaves out.
  const full = optional && type !== 'unknown' ? `${type} | undefined` : type;
  return `  /** ${schema.description ?? ''} */\n  readonly ${key}${optional ? '?' : ''}: ${full};`;
}

function typeOf(schema: Schema): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? 'unknown';
  if ('const' in schema) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return union.map(typeOf).join(' | ');
  return plainType(schema);
}

function plainType(schema: Schema): string {
  switch (schema.type) {
    case 'string': return 'string';
    case 'integer':
    case 'number': return 'number';
    case 'boolean': return 'boolean';
    case 'array': return `readonly ${bracketed(typeOf(schema.items ?? {}))}[]`;
    case 'object': return objectType(schema);
    default: return 'unknown';
  }
}

function objectType(schema: Schema): string {
  if (schema.additionalProperties) return `Readonly<Record<string, ${typeOf(schema.additionalProperties)}>>`;
  const required = schema.required ?? [];
  const members = Object.entries(schema.properties ?? {}).map(([key, value]) =>
    `readonly ${key}${required.includes(key) ? '' : '?'}: ${typeOf(value)}`);
  return `{ ${members.join('; ')} }`;
}

const bracketed = (type: string): string => (type.includes(' ') ? `(${type})` : type);
const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value));

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(TARGET, generateTypes());
