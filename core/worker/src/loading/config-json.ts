import { isTopic } from 'treadle';
import { isMiddleware, topicSchema } from '../running/runnable-step.js';
import { toJsonSchema } from './json-schema.js';
import { define, plainJson } from './plain-json.js';

type Plain = Record<string, unknown>;
type Keys = Readonly<Record<string, unknown>>;

/** Keys of a trigger that hold one schema. */
const SCHEMAS = ['bodySchema', 'querySchema', 'headersSchema', 'input'];

/** A config cannot be told to the engine. */
export class ConfigError extends Error {}

/**
 * The config of a Step or a stream as plain JSON, for the engine's diagnostics to check: unknown keys are kept, schemas become JSON Schema,
 * topics their names, functions `true`, middleware its count. `file` is absolute.
 * @throws ConfigError naming the key
 */
export async function configJson(config: Keys, file: string): Promise<Plain> {
  const plain: Plain = {};
  for (const [key, value] of Object.entries(config)) {
    if (value === undefined) continue;
    define(plain, key, await configKey(key, value, file));
  }
  return plain;
}

async function configKey(key: string, value: unknown, file: string): Promise<unknown> {
  if (key === 'triggers' && Array.isArray(value)) return triggersJson(value, file);
  // Of a stream; a Step has no such key, and is told so.
  return key === 'schema' ? schemaJson(value, key, file) : simple(key, value);
}

async function triggersJson(triggers: readonly unknown[], file: string): Promise<unknown[]> {
  return Promise.all(triggers.map(async (trigger, index) => {
    if (typeof trigger !== 'object' || trigger === null) return simple(`triggers[${index}]`, trigger);
    return triggerJson(trigger as Keys, `triggers[${index}]`, file);
  }));
}

async function triggerJson(trigger: Keys, path: string, file: string): Promise<Plain> {
  const plain: Plain = {};
  for (const [key, value] of Object.entries(trigger)) {
    if (value !== undefined) define(plain, key, await triggerKey(key, value, `${path}.${key}`, file));
  }
  // A typed topic checks its messages as `input` would.
  const schema = topicSchema(trigger['topic']);
  if (schema !== undefined && plain['input'] === undefined) plain['input'] = await schemaJson(schema, `${path}.topic`, file);
  return plain;
}

async function triggerKey(key: string, value: unknown, path: string, file: string): Promise<unknown> {
  if (SCHEMAS.includes(key)) return schemaJson(value, path, file);
  if (key === 'middleware') return countFunctions(value);
  if (key !== 'responseSchema' || typeof value !== 'object' || value === null) return simple(path, value);
  const plain: Plain = {};
  for (const [status, schema] of Object.entries(value)) define(plain, status, await schemaJson(schema, `${path}.${status}`, file));
  return plain;
}

async function schemaJson(schema: unknown, path: string, file: string): Promise<unknown> {
  try {
    return await toJsonSchema(schema, file);
  } catch (error) {
    throw new ConfigError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Number of middleware; anything else is shown as it is, for the diagnostics. */
function countFunctions(value: unknown): unknown {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.every(isMiddleware) ? list.length : simple('middleware', value);
}

function simple(path: string, value: unknown): unknown {
  try {
    return plainJson(namesOfTopics(value));
  } catch (error) {
    throw new ConfigError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function namesOfTopics(value: unknown): unknown {
  if (isTopic(value)) return value.topic;
  return Array.isArray(value) ? value.map((item: unknown) => (isTopic(item) ? item.topic : item)) : value;
}
