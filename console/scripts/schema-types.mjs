// JSON schemas as TypeScript: what `ts-json-schema-generator` makes of types, and no more.
const COMPONENT = '#/components/schemas/';

/** Declarations of the components of an OpenAPI document. @param {Readonly<Record<string, object>>} schemas */
export function typesOf(schemas) {
  return Object.entries(schemas).map(([name, schema]) => `${comment(schema, '')}export type ${name} = ${typeOf(schema, '')};\n`).join('\n');
}

/** An expression. @param {any} schema @param {string} indent of the line that it stands in @returns {string} */
export function typeOf(schema, indent = '') {
  if (schema.$ref !== undefined) return schema.$ref.slice(COMPONENT.length);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  for (const [word, sign] of [['anyOf', '|'], ['oneOf', '|'], ['allOf', '&']]) {
    if (schema[word] !== undefined) return schema[word].map((one) => inUnion(typeOf(one, indent))).join(` ${sign} `);
  }
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(' | ');
  if (schema.type === 'array') return arrayOf(schema, indent);
  if (schema.type === 'object') return objectOf(schema, indent);
  return { string: 'string', number: 'number', integer: 'number', boolean: 'boolean', null: 'null' }[schema.type] ?? (schema.not === undefined ? 'unknown' : 'never');
}

function arrayOf({ items = {}, minItems, maxItems }, indent) {
  if (Array.isArray(items)) return `readonly [${items.map((item) => typeOf(item, indent)).join(', ')}]`;
  const item = inUnion(typeOf(items, indent));
  return minItems !== undefined && minItems === maxItems ? `readonly [${Array(minItems).fill(item).join(', ')}]` : `readonly ${item}[]`;
}

function objectOf({ properties = {}, required = [], additionalProperties }, indent) {
  const deeper = `${indent}  `;
  const members = Object.entries(properties).map(([name, schema]) => (
    `${comment(schema, deeper)}${deeper}readonly ${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema, deeper)};\n`));
  const others = additionalProperties === false ? undefined : typeOf(additionalProperties === true ? {} : additionalProperties ?? {}, deeper);
  const open = `{ readonly [name: string]: ${others ?? 'never'} }`;
  if (members.length === 0) return open;
  const known = `{\n${members.join('')}${indent}}`;
  return others === undefined || additionalProperties === undefined ? known : `${known} & ${open}`;
}

const inUnion = (type) => (/[|&]/.test(type) && !type.startsWith('{') || type.startsWith('readonly ') ? `(${type})` : type);

function comment({ description }, indent) {
  if (description === undefined) return '';
  const lines = description.split('\n');
  return lines.length === 1 ? `${indent}/** ${description} */\n` : `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}
