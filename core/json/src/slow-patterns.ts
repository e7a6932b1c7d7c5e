import { isForeign } from './library-schema.js';
import { partsOf } from './schema-parts.js';
import { EXPLOSIVE_LIMIT, SafePattern } from './pattern/safe-pattern.js';

/** A pattern that an engine which tries every way might never finish. */
export interface SlowPattern {
  readonly source: string;
  /** It repeats what a group has matched: it can only be tried, and is given up where that takes too many steps. */
  readonly isTried: boolean;
}

/** The slow patterns of a schema that can be compiled; those that are not checked because they are of another language are passed over. */
export function slowPatternsOf(schema: unknown): readonly SlowPattern[] {
  const sources = new Set<string>();
  collect(schema, sources);
  return [...sources].filter((source) => !isForeign(source)).map((source) => ({ source, pattern: new SafePattern(new RegExp(source, 'u')) }))
    .filter(({ pattern }) => pattern.nativeLimit <= EXPLOSIVE_LIMIT)
    .map(({ source, pattern }) => ({ source, isTried: pattern.run === 'budget' }));
}

function collect(part: unknown, sources: Set<string>): void {
  if (typeof part !== 'object' || part === null) return;
  const { pattern, patternProperties } = part as { pattern?: unknown; patternProperties?: unknown };
  // A property may have this name: then it is a schema.
  if (typeof pattern === 'string') sources.add(pattern);
  if (typeof patternProperties === 'object' && patternProperties !== null) for (const source of Object.keys(patternProperties)) sources.add(source);
  for (const inner of partsOf(part)) collect(inner, sources);
}
