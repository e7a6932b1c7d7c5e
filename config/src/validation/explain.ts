import { nearest, treadleError, type ConfigSchema, type SourceLocation, type TreadleError } from '@treadle/api';
import type { ErrorObject } from 'ajv';
import { keyPath } from '../located.js';
import { showValue } from '../show-value.js';
import type { ValidateInput } from './validated.js';
import { describeCondition } from './describe-condition.js';
import type { Materialized } from './materialized.js';
import { fullPath, leafOf, outwards, placeOfPointer, type Place, type PlaceKey } from './place.js';
import { jsonTypeOf } from './schema-shape.js';
import { settleUnions } from './union-errors.js';
import { valueProblem } from './value-problem.js';

/** Turns ajv's errors into ours: each names its path, its place in the file, the value (never a secret) and what would do. */
export class Explainer {
  private readonly input: ValidateInput;
  private readonly config: unknown;
  private readonly places: ReadonlyMap<PlaceKey, Place>;

  constructor(input: ValidateInput, { config, places }: Materialized) {
    this.input = input;
    this.config = config;
    this.places = places;
  }

  explain(errors: readonly ErrorObject[]): readonly TreadleError[] {
    const open = errors.filter((error) => !this.isSettled(placeOfPointer(this.config, error.instancePath)));
    const issues = settleUnions(open).flatMap((error) => this.explainOne(error) ?? []);
    const seen = new Set<string>();
    return issues.filter(({ message }) => !seen.has(message) && seen.add(message));
  }

  private explainOne(error: ErrorObject): TreadleError | undefined {
    const place = placeOfPointer(this.config, error.instancePath);
    switch (error.keyword) {
      // Its branch has reported what is wrong.
      case 'if': return undefined;
      case 'required':
      case 'dependencies':
      case 'dependentRequired': return this.missing(error, place);
      case 'additionalProperties': return this.unknown(error, place);
      default: return this.badValue(error, place);
    }
  }

  private missing(error: ErrorObject, place: PlaceKey): TreadleError {
    const key = keyPath(place, String(error.params['missingProperty']));
    const trigger: unknown = error.params['property'];
    const when = typeof trigger === 'string'
      ? `${keyPath(place, trigger)} is set`
      : describeCondition(this.input.schema, error.schemaPath, place);
    const { owner, path, at } = this.input;
    const params = { path: fullPath(path, key), owner, key, ...(when !== undefined && { when }) };
    return treadleError('CONFIG_MISSING_KEY', params, { at: place === '' ? at : this.at(place) });
  }

  /** A key that the condition of a branch forbids; others were found before. */
  private unknown(error: ErrorObject, place: PlaceKey): TreadleError {
    const key = keyPath(place, String(error.params['additionalProperty']));
    const { owner, path } = this.input;
    return treadleError('CONFIG_UNKNOWN_KEY', { path: fullPath(path, key), owner, key }, { at: this.at(key) });
  }

  private badValue(error: ErrorObject, place: PlaceKey): TreadleError {
    const known = this.places.get(place);
    const shown = showValue(error.data, { secret: known?.secret ?? false, text: known?.text });
    const problem = valueProblem({ error, shown, name: leafOf(place) || this.input.owner });
    const hint = this.hint(error, known);
    const params = { path: fullPath(this.input.path, place), problem, ...(hint !== undefined && { hint }) };
    return treadleError('CONFIG_BAD_VALUE', params, { at: this.at(place) });
  }

  private hint(error: ErrorObject, place: Place | undefined): string | undefined {
    const hints = [origin(place), quoting(error, place), nearValue(error, place)].filter((hint) => hint !== undefined);
    return hints.length > 0 ? hints.join('; ') : undefined;
  }

  /** Of the value, or of the innermost thing around it that the file holds. */
  private at(place: PlaceKey): SourceLocation {
    for (const around of outwards(place)) {
      const known = this.places.get(around);
      if (known) return known.at;
    }
    return this.input.at;
  }

  private isSettled(place: PlaceKey): boolean {
    return [...outwards(place)].some((around) => this.places.get(around)?.settled === true);
  }
}

function nearValue(error: ErrorObject, place: Place | undefined): string | undefined {
  const { enum: values = [] } = error.parentSchema as ConfigSchema;
  if (typeof error.data !== 'string' || place?.secret) return undefined;
  const near = nearest(error.data, values.filter((value) => typeof value === 'string'));
  return near === undefined ? undefined : `did you mean "${near}"?`;
}

/** A number in quotes where a number is asked for, and the other way round. */
function quoting(error: ErrorObject, place: Place | undefined): string | undefined {
  if (error.keyword !== 'type' || !place || place.from || place.secret) return undefined;
  if (error.data === null) return 'write a value or leave the key out';
  const types = [(error.parentSchema as ConfigSchema).type].flat();
  if (types.includes('string')) return place.text ? `write it in quotes: ${JSON.stringify(place.text)}` : undefined;
  const { data } = error as { data?: unknown };
  return place.quoted === true && typeof data === 'string' && types.includes(unquotedType(data)) ? 'write it without quotes' : undefined;
}

function unquotedType(text: string): string {
  try {
    return jsonTypeOf(JSON.parse(text));
  } catch {
    // Not a number, boolean or null: quotes are not what is wrong.
    return 'string';
  }
}

function origin(place: Place | undefined): string | undefined {
  if (!place?.from) return undefined;
  const variables = place.from.variables.join(', ');
  return place.from.fromDefault ? `the value is the default of ${variables}` : `the value comes from ${variables}`;
}
