import { nearest, type ConfigSchema } from '@treadle/api';
import type { ErrorObject } from 'ajv';
import { keyPath } from '../located.js';
import { showValue } from '../show-value.js';
import { leafOf, placeOfPointer } from './place.js';
import { schemaErrors } from './schema-errors.js';
import { settleUnions } from './union-errors.js';
import { valueProblem } from './value-problem.js';

/**
 * The first thing that is wrong with an object by a draft-07 schema, in words that name its place; undefined when it fits.
 * @throws Error when the schema itself is not valid
 */
export function valueFault(value: unknown, schema: ConfigSchema): string | undefined {
  const [error] = settleUnions(schemaErrors(value, schema)).filter(({ keyword }) => keyword !== 'if');
  return error && faultOf(value, error);
}

function faultOf(value: unknown, error: ErrorObject): string {
  const place = placeOfPointer(value, error.instancePath);
  const { missingProperty, additionalProperty } = error.params as { readonly missingProperty?: string; readonly additionalProperty?: string };
  if (missingProperty !== undefined) return `"${keyPath(place, missingProperty)}" is missing`;
  if (additionalProperty !== undefined) return unknownKey(keyPath(place, additionalProperty), additionalProperty, error);
  const name = leafOf(place) || 'the value';
  const problem = valueProblem({ error, name, shown: showValue(error.data) });
  return problem.startsWith('expected') ? `${place || name}: ${problem}` : problem;
}

function unknownKey(path: string, key: string, { parentSchema }: ErrorObject): string {
  const known = Object.keys((parentSchema as ConfigSchema).properties ?? {});
  const near = nearest(key, known);
  const hint = near !== undefined ? `; did you mean "${near}"?` : known.length > 0 ? `; known are ${known.join(', ')}` : '';
  return `there is no "${path}"${hint}`;
}
