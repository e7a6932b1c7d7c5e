import type { StepRecord } from '@treadle/api';
import { intersection, key, schemaType } from './schema-type.js';

/** Files whose exports are types by themselves, as imports from where the types are. */
export interface TypedFiles {
  /** Of setups, by their names. */
  readonly setups: ReadonlyMap<string, string>;
  /** Of variables. */
  readonly envs: readonly string[];
}

const NO_FILES: TypedFiles = { setups: new Map(), envs: [] };

/**
 * Declarations that type topics named by string, `ctx.streams`, `ctx.setup` and `ctx.env`, from the schemas of the Steps that consume the topics and of the
 * declared streams, and from what files of setups and variables export. The same catalog gives the same text. A topic with several consumers has the data
 * that fits them all.
 */
export function typesText(records: readonly StepRecord[], files = NO_FILES): string {
  const parts = [
    declaration('Topics', topicTypes(records)), declaration('Streams', streamTypes(records)),
    declaration('Setups', new Map([...files.setups].map(([name, path]) => [name, `SetupOf<typeof import('${path}')>`]))),
    files.envs.length === 0 ? [] : [`  interface Env extends ${files.envs.map((path) => `EnvOf<typeof import('${path}')>`).join(', ')} {}`],
  ].filter((part) => part.length > 0);
  const used = [...(files.envs.length > 0 ? ['EnvOf'] : []), ...(files.setups.size > 0 ? ['SetupOf'] : [])];
  return [
    '// Written by "treadle generate types", kept up to date by "treadle dev": do not edit.',
    used.length === 0 ? "import 'treadle';" : `import type { ${used.join(', ')} } from 'treadle';`,
    '',
    "declare module 'treadle' {",
    ...parts.flatMap((part, index) => (index === 0 ? part : ['', ...part])),
    '}',
    '',
  ].join('\n');
}

type Types = ReadonlyMap<string, string>;

function declaration(name: string, types: Types): readonly string[] {
  if (types.size === 0) return [];
  const members = [...types].sort(([a], [b]) => (a < b ? -1 : 1)).map(([member, type]) => `    ${key(member)}: ${type};`);
  return [`  interface ${name} {`, ...members, '  }'];
}

function topicTypes(records: readonly StepRecord[]): Types {
  const found = new Map<string, string[]>();
  for (const { type, topic, input } of records.flatMap(({ config }) => config.triggers)) {
    if (type !== 'queue' || typeof topic !== 'string' || input === undefined) continue;
    found.set(topic, [...found.get(topic) ?? [], schemaType(input)]);
  }
  return known(new Map([...found].map(([topic, types]) => [topic, intersection(types)])));
}

function streamTypes(records: readonly StepRecord[]): Types {
  const streams = records.filter(({ role }) => role === 'stream').flatMap(({ config }) => config.triggers);
  const named = streams.filter(({ streamName, schema }) => typeof streamName === 'string' && schema !== undefined);
  return known(new Map(named.map(({ streamName, schema }) => [String(streamName), schemaType(schema)])));
}

/** What is not known need not be said. */
function known(types: Types): Types {
  return new Map([...types].filter(([, type]) => type !== 'unknown'));
}
