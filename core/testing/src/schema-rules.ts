import type { ConfigSchema } from '@treadle/api';
import { parseConfig, validateConfig } from '@treadle/config';

/** A setting and where it stands in the schema. */
interface Setting {
  readonly path: string;
  readonly schema: ConfigSchema;
}

/** Every property of a config schema, nested ones included. */
export function settingsOf(schema: ConfigSchema, path = ''): readonly Setting[] {
  const nested = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? []), ...(schema.items ? [schema.items] : [])]
    .flatMap((part) => settingsOf(part, path));
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const name = path === '' ? key : `${path}.${key}`;
    return [{ path: name, schema: property }, ...settingsOf(property, name)];
  });
  return [...own, ...nested];
}

/** Settings without a description. Inside anyOf and if/then a setting is described where it is introduced. */
export function undescribed(schema: ConfigSchema): readonly string[] {
  const settings = settingsOf(schema);
  const described = new Set(settings.filter(({ schema: setting }) => (setting.description ?? '').trim() !== '').map(({ path }) => path));
  return [...new Set(settings.map(({ path }) => path).filter((path) => !described.has(path)))];
}

/** Defaults and examples that their own schema refuses. */
export function badSamples(schema: ConfigSchema): readonly string[] {
  return settingsOf(schema).flatMap(({ path, schema: setting }) => {
    const samples = [...(setting.default === undefined ? [] : [setting.default]), ...(setting.examples ?? [])];
    return samples.flatMap((sample) => problemsOf(setting, sample).map((problem) => `${path}: ${problem}`));
  });
}

/** What the configuration pipeline says of a value; JSON is YAML. */
export function problemsOf(schema: ConfigSchema, value: unknown): readonly string[] {
  const { value: tree } = parseConfig(JSON.stringify({ sample: value }), 'sample');
  const wrapped: ConfigSchema = { type: 'object', additionalProperties: false, properties: { sample: schema } };
  const { issues } = validateConfig({
    tree, schema: wrapped, path: 'sample', owner: 'kit', at: { file: 'sample' }, env: {}, slotKeys: [],
  });
  return issues.filter((issue) => issue.severity === 'error').map((issue) => `${issue.code} ${issue.message}`);
}
