import { createRequire } from 'node:module';
import { type ConfigSchema, multipleOf } from '@treadle/api';
import type { Ajv, ErrorObject, KeywordDefinition, ValidateFunction } from 'ajv';
import { MAX_ISSUES } from '../located.js';
import { fits } from './fits.js';
import { EXTENSION_KEYWORDS, isUnderstood } from './keywords.js';

let ajv: Ajv | undefined;
const compiled = new WeakMap<ConfigSchema, ValidateFunction>();

/**
 * What ajv finds wrong with a value; ajv is loaded and the schema compiled only when `fits` cannot say that all is well.
 * @throws Error when the schema itself is not valid.
 */
export function schemaErrors(value: unknown, schema: ConfigSchema): readonly ErrorObject[] {
  if (isUnderstood(schema) && fits(value, schema)) return [];
  const validate = compiled.get(schema) ?? loadAjv().compile(schema);
  compiled.set(schema, validate);
  return validate(value) ? [] : (validate.errors ?? []).slice(0, MAX_ISSUES);
}

/** That of ajv takes 19.99 for no multiple of 0.01. */
const MULTIPLE_OF: KeywordDefinition = { keyword: 'multipleOf', type: 'number', schemaType: 'number', compile: (divisor: number) => multipleOf(divisor) };

/** Strict as far as it finds an author's mistakes (unknown keywords and formats), not as far as it judges style. */
function loadAjv(): Ajv {
  if (ajv) return ajv;
  const require = createRequire(import.meta.url);
  const { Ajv: Constructor } = require('ajv') as typeof import('ajv');
  ajv = new Constructor({
    allErrors: true, verbose: true, strict: true, strictRequired: false, strictTypes: false, strictTuples: false,
    addUsedSchema: false, logger: false,
  });
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword(MULTIPLE_OF);
  ajv.addVocabulary([...EXTENSION_KEYWORDS]);
  return ajv;
}
