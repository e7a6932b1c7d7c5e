import { type Environment, treadleError, type ConfigSchema, type Json, type SourceLocation } from '@treadle/api';
import { coerceText } from '../coerce.js';
import { itemPath, keyPath } from '../located.js';
import { showValue } from '../show-value.js';
import type { ValidateInput } from './validated.js';
import type { Materialized } from './materialized.js';
import { fullPath, type PlaceKey } from './place.js';
import { certain, schemasOfItems, schemasOfKey, typesOf } from './schema-shape.js';

/** The map that is filled. */
interface Target {
  readonly place: PlaceKey;
  readonly schemas: readonly ConfigSchema[];
  readonly secret: boolean;
}

/** A variable that says what a setting is; with `words` in a vocabulary of its own. */
interface Variable {
  readonly name: string;
  readonly words?: Readonly<Record<string, Json>>;
}

/**
 * Fills in what the file does not write: first a setting's own variables (`x-env`, `x-env-words`), then its default. A map that is
 * absent and has no default stays absent, unless a variable inside it is set.
 */
export class SettingFiller {
  private readonly input: ValidateInput;
  private readonly result: Omit<Materialized, 'config'>;

  constructor(input: ValidateInput, result: Omit<Materialized, 'config'>) {
    this.input = input;
    this.result = result;
  }

  /** Adds to `target`; `at` is where errors of variables are shown. */
  fill(target: Record<string, unknown>, context: Target, at: SourceLocation): void {
    for (const [key, own] of certainSettings(context.schemas)) {
      if (key in target || (context.place === '' && this.input.slotKeys.includes(key))) continue;
      const schemas = schemasOfKey(context.schemas, key);
      const secret = context.secret || schemas.some((schema) => schema['x-secret'] === true);
      const value = this.setting({ place: keyPath(context.place, key), schemas, secret }, own, at);
      if (value !== undefined) target[key] = value;
    }
  }

  private setting(setting: Target, own: readonly ConfigSchema[], at: SourceLocation): unknown {
    const { env } = this.input;
    const variable = ownVariable(own, env);
    if (variable !== undefined) return this.fromVariable(variable, setting, at);
    const byDefault = own.find((schema) => schema.default !== undefined)?.default;
    if (byDefault !== undefined) return this.copy(byDefault, setting, at);
    return own.some((schema) => hasSetVariable(schema, env)) ? this.copy({}, setting, at) : undefined;
  }

  private fromVariable({ name: variable, words }: Variable, { place, schemas, secret }: Target, at: SourceLocation): unknown {
    const text = variableOf(this.input.env, variable) as string;
    const result = words ? meaningOf(text, words) : coerceText(text, typesOf(schemas), true);
    const isFitting = 'value' in result;
    const from = { variables: [variable], fromDefault: false };
    this.result.places.set(place, { at, secret, from, settled: !isFitting });
    this.result.origins[place] = { kind: 'env', variable };
    this.result.envCount += 1;
    if (isFitting) return result.value;
    const params = { path: fullPath(this.input.path, place), variable, value: showValue(text, { secret }), owner: this.input.owner };
    this.result.issues.push(treadleError('CONFIG_BAD_ENV', { ...params, key: words ? variable : place, must: result.must }, { at }));
    return null;
  }

  /** A default as a frozen value of its own, with the defaults inside it. */
  private copy(value: unknown, context: Target, at: SourceLocation): unknown {
    if (Array.isArray(value) && value.length > 0) {
      const schemas = schemasOfItems(context.schemas);
      return Object.freeze(value.map((item, index) =>
        this.copy(item, { ...context, place: itemPath(context.place, index), schemas }, at)));
    }
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return this.copyMap(value, context, at);
    this.result.origins[context.place] = { kind: 'default' };
    return Array.isArray(value) ? Object.freeze([]) : value;
  }

  private copyMap(value: object, context: Target, at: SourceLocation): unknown {
    const target = Object.create(null) as Record<string, unknown>;
    for (const [key, item] of Object.entries(value)) {
      const schemas = schemasOfKey(context.schemas, key);
      target[key] = this.copy(item, { ...context, place: keyPath(context.place, key), schemas }, at);
    }
    this.fill(target, context, at);
    if (Object.keys(target).length === 0) this.result.origins[context.place] = { kind: 'default' };
    return Object.freeze(target);
  }
}

/** Settings that the schemas name in any case; what only a branch names gets no default. */
function certainSettings(schemas: readonly ConfigSchema[]): ReadonlyMap<string, readonly ConfigSchema[]> {
  const settings = new Map<string, ConfigSchema[]>();
  for (const { properties = {} } of schemas.flatMap(certain)) {
    for (const [key, schema] of Object.entries(properties)) settings.set(key, [...settings.get(key) ?? [], schema]);
  }
  return settings;
}

/** The first that is set: the setting's own, then those with words. */
function ownVariable(own: readonly ConfigSchema[], env: Environment): Variable | undefined {
  const named = own.map((schema) => schema['x-env']).find((name) => variableOf(env, name) !== undefined);
  if (named !== undefined) return { name: named };
  const worded = own.flatMap((schema) => Object.entries(schema['x-env-words'] ?? {})).find(([name]) => (variableOf(env, name) ?? '').trim() !== '');
  return worded && { name: worded[0], words: worded[1] };
}

function meaningOf(text: string, words: Readonly<Record<string, Json>>): { readonly value: Json | undefined } | { readonly must: string } {
  const word = text.trim().toLowerCase();
  return Object.hasOwn(words, word) ? { value: words[word] } : { must: `one of ${Object.keys(words).join(', ')}` };
}

function variableOf(env: Environment, name: string | undefined): string | undefined {
  return name !== undefined && Object.hasOwn(env, name) ? env[name] : undefined;
}

function hasSetVariable(schema: ConfigSchema, env: Environment): boolean {
  return Object.values(schema.properties ?? {}).some((property) =>
    variableOf(env, property['x-env']) !== undefined || hasSetVariable(property, env));
}
