import type { TriggerIssue } from '@treadle/api';
import { compileSchema } from './schema-compiler.js';

/** What is wrong with a schema that a trigger has under `key`: one finding that says why it cannot be compiled, or none. */
export function schemaIssues(key: string, schema: object | boolean | undefined): readonly TriggerIssue[] {
  if (schema === undefined) return [];
  try {
    compileSchema(schema, 'first');
    return [];
  } catch (error) {
    return [{
      key, code: 'STEP_BAD_SCHEMA', message: `${key} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      remedy: 'give a valid JSON Schema 2020-12, or something that has one',
    }];
  }
}
