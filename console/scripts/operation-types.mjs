import { typeOf } from './schema-types.mjs';

const ROOT = '/api/v1';
const REFERENCE = '#/components/schemas/';

/** The operations of an OpenAPI document as the text of a TypeScript file: what each takes and answers. @param {any} document */
export function operationsOf({ paths }) {
  const all = Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ id: `${method.toUpperCase()} ${path.slice(ROOT.length) || '/'}`, ...operation })));
  const lines = all.sort((a, b) => (a.id < b.id ? -1 : 1)).map(described);
  const types = [...new Set(lines.flatMap(({ types: some }) => some))].sort();
  return `// Written by scripts/write-operations.mjs from the OpenAPI document of an engine with all modules.
/* eslint-disable max-lines */
import type {
${types.map((name) => `  ${name},\n`).join('')}} from './types.generated.js';

/** Every operation of the admin API: names of the parameters of its path and its query, its body and its answer; \`unknown\` where the document has no type. */
export interface Operations {
${lines.map(({ text }) => text).join('')}}
`;
}

/** One line of the map, and the types that it names. */
function described({ id, summary, parameters, requestBody, responses }) {
  const named = (place) => parameters.filter((one) => one.in === place).map(({ name }) => `'${name}'`).join(' | ') || 'never';
  const [body, answer] = [schemaOf(requestBody), schemaOf(responses['200'])].map((schema) => (isNothing(schema) ? undefined : schema));
  const typed = (schema) => typeOf(schema, '  ');
  const text = `  /** ${summary} */\n  readonly '${id}': { readonly path: ${named('path')}; readonly query: ${named('query')}; readonly body: ${body ? typed(body) : 'undefined'}; readonly answer: ${typed(answer ?? {})} };\n`;
  return { text, types: [body, answer].flatMap(namesIn) };
}

/** Of a body or an answer that is JSON. */
function schemaOf(part) {
  const [[type, { schema }] = ['', {}]] = Object.entries(part?.content ?? {});
  return type === 'application/json' ? schema : undefined;
}

/** An object of which no member is known: the body of what takes none. */
const isNothing = (schema) => schema?.type === 'object' && Object.keys(schema.properties ?? {}).length === 0 && !schema.additionalProperties;

function namesIn(schema) {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) => (name === '$ref' ? [value.slice(REFERENCE.length)] : namesIn(value)));
}
