import { type Environment, formatError, slot, type ConfigSchema, type TreadleError } from '@treadle/api';
import {
  ENGINE_SCHEMA, interpolate, parseConfig, printEffective, readAdapterEntry, readTopLevel, validateConfig,
  type EffectiveAdapter, type EffectiveEntry, type EffectiveSection, type ModuleEntry, type SchemaClass, type ValidateInput,
} from './index.js';

const STREAM: ConfigSchema = {
  type: 'object', description: 'Streams.', additionalProperties: false,
  properties: {
    port: { type: 'integer', minimum: 1, maximum: 65535, default: 3112, 'x-env': 'STREAM_PORT', description: 'Where it listens.' },
    host: { type: 'string', default: '127.0.0.1', description: 'Address it binds.' },
    heartbeat_ms: { type: 'integer', minimum: 0, default: 5000, 'x-unit': 'ms', description: 'Between two signs of life.' },
    origins: { type: 'array', items: { type: 'string' }, maxItems: 3, description: 'Who may connect.' },
    mode: { enum: ['push', 'pull'], default: 'push', description: 'Who starts.' },
    token: { type: 'string', minLength: 8, 'x-secret': true, description: 'Shared secret.' },
    size: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'string', pattern: '^\\d+[kM]$' }], description: 'Buffer.' },
    labels: { type: 'object', additionalProperties: { type: 'string' }, description: 'Free labels.' },
    cors: {
      type: 'object', default: {}, description: 'Cross-origin rules.',
      properties: { enabled: { type: 'boolean', default: false, description: 'On.' }, max_age: { type: 'number', minimum: 0, description: 'Seconds.' } },
    },
    adapter: { 'x-slot': 'stream', description: 'Where streams are kept.' },
  },
};

const KV: ConfigSchema = {
  type: 'object', description: 'Keeps pairs.', additionalProperties: false,
  properties: {
    store_method: { type: 'string', enum: ['in_memory', 'file_based'], default: 'in_memory', description: 'Where.' },
    file_path: { type: 'string', minLength: 1, description: 'The file.' },
    path: { type: 'string', 'x-deprecated': 'since 1.2; use "file_path"', description: 'Old name.' },
  },
  if: { properties: { store_method: { const: 'file_based' } }, required: ['store_method'] },
  then: { required: ['file_path'] },
};

/** Classes like the built-in ones, without the code behind them. */
export const CLASSES: readonly SchemaClass[] = [
  {
    id: 'modules::stream::StreamModule', aliases: ['modules::old::Streams'], kind: 'module', summary: 'Streams.', schema: STREAM,
    slots: { adapter: { slot: slot('stream'), optional: true } }, package: '@treadle/module-stream',
  },
  {
    id: 'modules::stream::adapters::KvStore', aliases: [], kind: 'adapter', slot: 'stream', summary: 'Key-value store.', schema: KV,
    package: '@treadle/plugin-keyv',
  },
];

const at = { file: 'config.yaml', line: 1, column: 1 };

/** What a configuration comes to: the effective YAML, or every issue as it is printed. */
export function outcomeOf(yaml: string, env: Environment = {}): string {
  const issues: TreadleError[] = [];
  const keep = <T>(outcome: { value: T; issues: readonly TreadleError[] }): T => {
    issues.push(...outcome.issues);
    return outcome.value;
  };
  const tree = keep(parseConfig(yaml, 'config.yaml'));
  const top = tree && keep(readTopLevel(keep(interpolate(tree, env)), 'config.yaml'));
  const check = (input: Omit<ValidateInput, 'env'>): EffectiveSection => {
    const { config, origins } = keep(validateConfig({ ...input, env })) ?? { config: {}, origins: {} };
    return { path: input.path, config, origins, schema: input.schema };
  };
  const adapterOf = (entry: ModuleEntry): readonly EffectiveAdapter[] => {
    const node = entry.config?.entries.get('adapter')?.value;
    const adapter = node && keep(readAdapterEntry(node, `${entry.path}.config.adapter`));
    if (!adapter) return [];
    const section = check({ tree: adapter.config, schema: KV, path: `${adapter.path}.config`, owner: adapter.class, at: adapter.at, slotKeys: [] });
    return [{ ...section, slot: 'adapter', many: false, class: adapter.class, at: adapter.at }];
  };
  const entryOf = (entry: ModuleEntry): EffectiveEntry => {
    const input = { tree: entry.config, schema: STREAM, path: `${entry.path}.config`, owner: entry.class, at: entry.at, slotKeys: ['adapter'] };
    return { ...check(input), class: entry.class, name: entry.name, implicit: false, at: entry.at, adapters: adapterOf(entry) };
  };
  const entries = (top?.modules ?? []).map(entryOf);
  const engine = check({ tree: top?.engine, schema: ENGINE_SCHEMA, path: 'engine', owner: 'engine', at, slotKeys: [] });
  const printed = issues.map(formatError);
  const hasErrors = issues.some((issue) => issue.severity === 'error');
  if (!hasErrors) printed.push(printEffective({ entries, plugins: top?.plugins ?? [], engine }).trimEnd());
  return `${printed.join('\n')}\n`;
}
