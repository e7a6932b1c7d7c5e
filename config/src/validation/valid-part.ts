import { soundKeys, type ConfigSchema } from '@treadle/api';
import type { Validated } from './validated.js';
import { schemaErrors } from './schema-errors.js';

/** What of a faulty config is valid, so that checks of several settings can run all the same. */
export interface ValidPart extends Validated {
  /** Top-level keys that are not as they were written: with their default, or absent. */
  readonly faulty: readonly string[];
}

/** Takes faulty settings out of a config; those at the top get their defaults. The schema itself has to be valid. */
export function validPart(whole: Validated, schema: ConfigSchema): ValidPart {
  const kept = soundKeys(whole.config, schema, (value, part) => schemaErrors(value, part).length === 0);
  const faulty = [...new Set([...Object.keys(whole.config), ...schema.required ?? []])].filter((key) => !Object.hasOwn(kept, key));
  const defaults = faulty.map((key) => [key, schema.properties?.[key]?.default] as const).filter(([, value]) => value !== undefined);
  return { ...whole, faulty, config: Object.freeze({ ...kept, ...Object.fromEntries(defaults) }) };
}
