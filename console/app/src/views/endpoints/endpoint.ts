import type { StepRecord } from '../../api/types.generated.js';
import { isTree } from '../../api/json.js';

export type Schema = Readonly<Record<string, unknown>>;

/** An HTTP trigger. */
export interface Endpoint {
  readonly step: string;
  /** Among the Step's triggers. */
  readonly trigger: number;
  readonly method: string;
  /** With `:names`. */
  readonly path: string;
  readonly description: string;
  readonly file: string;
  readonly line: number | undefined;
  readonly flow: string;
  readonly body: Schema | undefined;
  readonly query: Schema | undefined;
  /** By status. */
  readonly responses: Readonly<Record<string, Schema | boolean>>;
}

export function endpointsOf(steps: readonly StepRecord[]): readonly Endpoint[] {
  return steps.flatMap(({ config, file, line }) => config.triggers.flatMap((trigger, at) => {
    if (trigger.type !== 'http') return [];
    return [{
      step: config.name, trigger: at, method: String(trigger['method']), path: String(trigger['path']), description: config.description ?? '', file, line, flow: config.flows?.[0] ?? 'other',
      body: schemaOf(trigger['bodySchema']), query: schemaOf(trigger['querySchema']), responses: (schemaOf(trigger['responseSchema']) ?? {}) as Endpoint['responses'],
    }];
  })).sort((a, b) => a.path.localeCompare(b.path) || a.method.localeCompare(b.method));
}

export function schemaOf(value: unknown): Schema | undefined {
  return isTree(value) && !Array.isArray(value) ? value as Schema : undefined;
}

/** Names of the parameters in a path. */
export function pathParams(path: string): readonly string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
}

/** A body that fits the schema: its examples and defaults, else the simplest value; optional members are left out. */
export function sampleOf(schema: Schema | undefined): unknown {
  if (!schema) return null;
  const [example] = (schema['examples'] as readonly unknown[] | undefined) ?? [];
  if (example !== undefined) return example;
  for (const name of ['example', 'default', 'const']) if (schema[name] !== undefined) return schema[name];
  const choices = (schema['enum'] ?? schema['anyOf'] ?? schema['oneOf']) as readonly unknown[] | undefined;
  if (choices) return schema['enum'] ? choices[0] : sampleOf(schemaOf(choices[0]));
  return sampleOfType(schema);
}

function sampleOfType(schema: Schema): unknown {
  const type = Array.isArray(schema['type']) ? (schema['type'] as readonly string[])[0] : schema['type'];
  if (type === 'object') {
    const required = (schema['required'] as readonly string[] | undefined) ?? [];
    const properties = schemaOf(schema['properties']) ?? {};
    return Object.fromEntries(required.map((name) => [name, sampleOf(schemaOf(properties[name]))]));
  }
  if (type === 'array') return Number(schema['minItems'] ?? 0) > 0 ? [sampleOf(schemaOf(schema['items']))] : [];
  if (type === 'integer' || type === 'number') return Number(schema['minimum'] ?? 0);
  if (type === 'boolean') return false;
  return type === 'string' ? sampleText(schema) : null;
}

const FORMATS: Readonly<Record<string, string>> = { email: 'someone@example.com', uuid: '6f1f7bc6-7d2a-4f0e-9f9b-2f6a1c0e4f11', 'date-time': '2026-01-01T00:00:00.000Z', date: '2026-01-01', uri: 'https://example.com', ipv4: '127.0.0.1' };

function sampleText({ format, minLength }: Schema): string {
  const text = FORMATS[String(format)] ?? 'example';
  return text.padEnd(Number(minLength ?? 0), 'x');
}
