import type { ConfigSchema } from '@treadle/api';

/** A setting of a class, flattened: `cors.origins`, `static[].dir`. */
export interface Setting {
  readonly key: string;
  /** As the table shows it: `integer 1-65535`, `in_memory | file_based`, `list of string`. */
  readonly type: string;
  readonly required: boolean;
  readonly default?: unknown;
  readonly unit?: string;
  /** Environment variable that applies when YAML does not write the setting. */
  readonly env?: string;
  readonly secret?: true;
  readonly advanced?: true;
  /** A reload changes it in the running module; without it the module is restarted. */
  readonly live?: true;
  /** What to use instead. */
  readonly deprecated?: string;
  readonly description: string;
}

/** The settings of a schema in its order, those of nested objects after their parent. @param isLive says so of a top-level key */
export function settingsOf(schema: ConfigSchema, isLive: (key: string) => boolean): readonly Setting[] {
  return Object.keys(schema.properties ?? {}).flatMap((name) => {
    const only = { ...schema, properties: { [name]: schema.properties?.[name] ?? {} } };
    return flattened(only, '').map((setting) => (isLive(name) ? { ...setting, live: true as const } : setting));
  });
}

function flattened(schema: ConfigSchema, prefix: string): readonly Setting[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const key = prefix + name;
    const own = settingOf(key, property, schema.required?.includes(name) ?? false);
    return [own, ...flattened(property, `${key}.`), ...flattened(property.items ?? {}, `${key}[].`)];
  });
}

function settingOf(key: string, schema: ConfigSchema, required: boolean): Setting {
  const { description = '' } = schema;
  return {
    key, type: typeName(schema), required, description,
    ...(schema.default === undefined ? {} : { default: schema.default }),
    ...(schema['x-unit'] ? { unit: schema['x-unit'] } : {}),
    ...(schema['x-env'] ? { env: schema['x-env'] } : {}),
    ...(schema['x-secret'] ? { secret: true } : {}),
    ...(schema['x-advanced'] ? { advanced: true } : {}),
    ...(schema['x-deprecated'] ? { deprecated: schema['x-deprecated'] } : {}),
  };
}

function typeName(schema: ConfigSchema): string {
  if (schema['x-slot']) return schema.type === 'array' ? `list of ${schema['x-slot']} adapter` : `${schema['x-slot']} adapter`;
  if (schema.const !== undefined) return String(schema.const);
  if (schema.enum) return schema.enum.map(String).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(typeName))].join(' | ');
  if (schema.type === 'array') return `list of ${typeName(schema.items ?? {})}`;
  const type = Array.isArray(schema.type) ? schema.type.join(' | ') : String(schema.type ?? 'any');
  return type + range(schema);
}

function range({ minimum, maximum }: ConfigSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` ${minimum}-${maximum}`;
  if (minimum !== undefined) return ` >= ${minimum}`;
  return maximum === undefined ? '' : ` <= ${maximum}`;
}
