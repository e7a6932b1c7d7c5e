import type { StepRecord } from '@treadle/api';
import { intersection, key, schemaType } from './schema-type.js';

/**
 * Declarations that type topics named by string and `ctx.streams`, from the schemas of the Steps that consume them and of the
 * declared streams. The same catalog gives the same text. A topic with several consumers has the data that fits them all.
 */
export function typesText(records: readonly StepRecord[]): string {
  const topics = topicTypes(records);
  const streams = streamTypes(records);
  return [
    '// Written by "treadle generate types", kept up to date by "treadle dev": do not edit.',
    "import 'treadle';",
    '',
    "declare module 'treadle' {",
    ...declaration('Topics', topics),
    ...(topics.size > 0 && streams.size > 0 ? [''] : []),
    ...declaration('Streams', streams),
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
