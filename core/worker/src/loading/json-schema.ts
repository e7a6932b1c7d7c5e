import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { plainJson } from './plain-json.js';

type JsonSchema = Readonly<Record<string, unknown>>;
interface StandardJson {
  readonly '~standard': {
    readonly vendor?: unknown;
    readonly jsonSchema?: { readonly input?: (options: { target: string }) => JsonSchema };
  };
}
interface Zod {
  toJSONSchema(schema: unknown, options: { io: 'input'; unrepresentable: 'any' }): JsonSchema;
}

/**
 * JSON Schema of what a schema accepts. A library that cannot say it gives `{}`: the engine lets everything pass and the
 * schema itself decides in the worker.
 * @throws Error when the schema is none
 */
export async function toJsonSchema(schema: unknown, file: string): Promise<unknown> {
  if (typeof schema === 'boolean') return schema;
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) {
    throw new Error(`a schema must be a Standard Schema (zod, …) or JSON Schema, not ${JSON.stringify(schema) ?? typeof schema}`);
  }
  if (!('~standard' in schema)) return plainJson(schema);
  const standard = (schema as StandardJson)['~standard'];
  try {
    const own = standard.jsonSchema?.input?.({ target: 'draft-2020-12' });
    if (own) return plainJson(own);
  } catch {
    // Something in it has no JSON form (a date, a transform); zod can leave that part open.
  }
  return standard.vendor === 'zod' ? fromZod(schema, file) : {};
}

async function fromZod(schema: object, file: string): Promise<unknown> {
  const zod = await zodOf(file);
  return zod ? plainJson(zod.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })) : {};
}

/** The zod that the Step's own folder resolves; another version may not know its schemas. */
async function zodOf(file: string): Promise<Zod | undefined> {
  const require = createRequire(file);
  for (const name of ['zod', 'zod/v4']) {
    try {
      const module = (await import(pathToFileURL(require.resolve(name)).href)) as Partial<Zod> & { default?: Partial<Zod> };
      const zod = module.toJSONSchema ? module : module.default;
      if (typeof zod?.toJSONSchema === 'function') return zod as Zod;
    } catch {
      // not installed under this name; the next one, else the schema stays open
    }
  }
  return undefined;
}
