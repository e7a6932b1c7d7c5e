// Writes the schemas of what the admin API takes and answers, from the types of src/contract, and from these schemas the types of the page's client:
// node console/scripts/write-answer-schemas.mjs [file of the schemas] [file of the types]
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createGenerator } from 'ts-json-schema-generator';
import { typesOf } from './schema-types.mjs';

const folder = dirname(dirname(fileURLToPath(import.meta.url)));
const [SCHEMAS = join(folder, 'src/api/answer-schemas.generated.ts'), TYPES = join(folder, 'app/src/api/types.generated.ts')] = process.argv.slice(2);
const DEFINITION = '#/definitions/';

const { definitions } = createGenerator({
  path: join(folder, 'src/contract/answers.ts'), tsconfig: join(folder, 'tsconfig.json'), type: 'Described', expose: 'export', topRef: true, skipTypeCheck: true, sortProps: true, extraTags: ['payload'],
}).createSchema('Described');
const { Described, Answers, Bodies, Events, LiveMessages, TextAnswers, ...types } = definitions;
// Names of generics have brackets, which no component's name may have.
const nameOf = (name) => decodeURIComponent(name).replaceAll(/[<,]+/g, 'Of').replaceAll(/[^A-Za-z0-9_.-]/g, '');
const pointed = (value) => (Array.isArray(value) ? value.map(pointed) : typeof value !== 'object' || value === null ? value
  : Object.fromEntries(Object.entries(value).map(([key, member]) => (key === '$ref' ? [key, `#/components/schemas/${nameOf(member.slice(DEFINITION.length))}`] : key === 'payload' && typeof member === 'string' ? ['x-payload', member] : [key, pointed(member)]))));
const schemas = Object.fromEntries(Object.entries(types).map(([name, schema]) => [nameOf(name), pointed(schema)]).sort(([a], [b]) => (a < b ? -1 : 1)));
if (Object.keys(schemas).length !== Object.keys(types).length) throw new Error('two types have the same name for components');

const mediaTypes = Object.fromEntries(Object.entries(TextAnswers.properties).map(([route, type]) => [route, type.enum ?? [type.const]]));
const lines = (members) => Object.entries(members).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`).join('');
writeFileSync(SCHEMAS, `// Written by scripts/write-answer-schemas.mjs from the types in src/contract.
/* eslint-disable max-lines */

/** JSON schemas of the types of bodies, answers and live messages, as components of an OpenAPI document. */
export const ANSWER_TYPES: Readonly<Record<string, object>> = {
${lines(schemas)}};

/** The schema of a route's answer by its method and path, e.g. \`GET /meta\`. */
export const ANSWERS: Readonly<Record<string, object>> = {
${lines(pointed(Answers.properties))}};

/** The same of the body that a route takes. */
export const BODIES: Readonly<Record<string, object>> = {
${lines(pointed(Bodies.properties))}};

/** The schema of what an event route sends, or the live topic \`join\`. */
export const EVENTS: Readonly<Record<string, object>> = {
${lines(pointed(Events.properties))}};

/** Media types of answers that are no JSON. */
export const TEXTS: Readonly<Record<string, readonly string[]>> = {
${lines(mediaTypes)}};
`);
writeFileSync(TYPES, `// Written by scripts/write-answer-schemas.mjs from the components of the OpenAPI document of the admin API.
/* eslint-disable max-lines */

${typesOf(schemas).trimEnd()}
`);
