import { createHash } from 'node:crypto';
import type { TriggerIssue } from '@treadle/api';
import { compileSchema } from './schema-compiler.js';
import { type SlowPattern, slowPatternsOf } from './slow-patterns.js';

/** So many schemas that could be compiled are remembered, those asked for last: a Step process that starts again brings the same ones. */
const MOST_KNOWN = 1_000;
/** Their slow patterns, by a hash of schema and use. */
const known = new Map<string, readonly SlowPattern[]>();

/**
 * What is wrong with a schema that a trigger has under `key`: why it cannot be compiled, or which of its patterns are slow.
 * `coerce`: it is for strings that are turned into what it asks for.
 */
export function schemaIssues(key: string, schema: object | boolean | undefined, coerce = false): readonly TriggerIssue[] {
  if (schema === undefined) return [];
  try {
    return slowPatterns(schema, coerce).map((pattern) => slowPattern(key, pattern));
  } catch (error) {
    return [{
      key, code: 'STEP_BAD_SCHEMA', message: `${key} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      remedy: 'give a valid JSON Schema 2020-12, or something that has one',
    }];
  }
}

/** @throws Error when ajv cannot compile it */
function slowPatterns(schema: object | boolean, coerce: boolean): readonly SlowPattern[] {
  const hash = createHash('sha256').update(`${coerce} ${JSON.stringify(schema)}`).digest('base64');
  const patterns = known.get(hash) ?? findSlowPatterns(schema, coerce);
  known.delete(hash);
  known.set(hash, patterns);
  const [oldest] = known.keys();
  if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
  return patterns;
}

function findSlowPatterns(schema: object | boolean, coerce: boolean): readonly SlowPattern[] {
  compileSchema(schema, coerce ? 'query' : 'first');
  return slowPatternsOf(schema);
}

function slowPattern(key: string, { source, isTried }: SlowPattern): TriggerIssue {
  const shown = source.length > 100 ? `${source.slice(0, 100)}…` : source;
  return {
    key, code: 'STEP_SLOW_PATTERN', severity: 'warning',
    message: isTried
      ? `the pattern /${shown}/ in ${key} repeats what a group matched; a text that takes too many steps is refused as too complex`
      : `the pattern /${shown}/ in ${key} may take a text in very many ways; the engine runs it in linear time, a handler that uses it does not`,
    remedy: isTried ? 'write it without \\1 and the like, or check that part in the handler' : 'let no two parts of a repetition take the same text, as (a+)+ does',
  };
}
