import { nearest, treadleError, type ConfigSchema, type SourceLocation } from '@treadle/api';
import { coerceText } from '../coerce.js';
import { foreignKey } from '../foreign-names.js';
import { itemPath, keyPath, MAX_ISSUES, type Located, type LocatedMap, type LocatedScalar } from '../located.js';
import { looksSecret } from '../secret-names.js';
import { showValue } from '../show-value.js';
import type { Origin, ValidateInput } from './validated.js';
import { SettingFiller } from './fill-settings.js';
import type { Materialized } from './materialized.js';
import { fullPath, type Place, type PlaceKey } from './place.js';
import { namedKeys, schemasOfItems, schemasOfKey, takesAnyKey, typesOf } from './schema-shape.js';

/** A value on its way from the tree into the config. */
interface Context {
  readonly place: PlaceKey;
  readonly schemas: readonly ConfigSchema[];
  readonly secret: boolean;
}

/**
 * Stage 6 for a whole config: plain, frozen values typed by the schema, with variables of settings and defaults filled
 * in. Reports unknown and deprecated keys, and variables that do not fit; leaves the rest to the schema.
 */
export function materialize(input: ValidateInput, tree: LocatedMap | undefined): Materialized {
  const materializer = new Materializer(input);
  const root = { place: '', schemas: [input.schema], secret: false };
  const config = materializer.map(tree ?? { kind: 'map', entries: new Map(), at: input.at }, root);
  return { ...materializer.result, config };
}

class Materializer {
  readonly result: Omit<Materialized, 'config'>;
  private readonly input: ValidateInput;
  private readonly filler: SettingFiller;

  constructor(input: ValidateInput) {
    this.input = input;
    const origins = Object.create(null) as Record<string, Origin>;
    this.result = { origins, places: new Map(), issues: [], envCount: 0 };
    this.filler = new SettingFiller(input, this.result);
  }

  map(node: LocatedMap, context: Context): Readonly<Record<string, unknown>> {
    const target = Object.create(null) as Record<string, unknown>;
    this.note(context, { at: node.at, secret: context.secret });
    for (const [key, { keyAt, value }] of node.entries) {
      if (context.place === '' && this.input.slotKeys.includes(key)) this.deprecated(key, keyAt, context);
      else if (this.isKnown(key, context)) target[key] = this.entry(key, keyAt, value, context);
      else this.unknown(key, keyAt, context);
    }
    this.filler.fill(target, context, context.place === '' ? this.input.at : node.at);
    if (Object.keys(target).length === 0 && context.place !== '') this.origin(context, { kind: 'file', at: node.at });
    return Object.freeze(target);
  }

  private entry(key: string, keyAt: SourceLocation, value: Located, context: Context): unknown {
    this.deprecated(key, keyAt, context);
    const schemas = schemasOfKey(context.schemas, key);
    const secret = context.secret || schemas.some((schema) => schema['x-secret'] === true) || isSecretText(key, value);
    return this.value(value, { place: keyPath(context.place, key), schemas, secret });
  }

  private value(node: Located, context: Context): unknown {
    if (node.kind === 'map') return this.map(node, context);
    return node.kind === 'list' ? this.list(node.items, node.at, context) : this.scalar(node, context);
  }

  private list(items: readonly Located[], at: SourceLocation, context: Context): unknown {
    this.note(context, { at, secret: context.secret });
    if (items.length === 0) this.origin(context, { kind: 'file', at });
    const schemas = schemasOfItems(context.schemas);
    return Object.freeze(items.map((item, index) =>
      this.value(item, { ...context, place: itemPath(context.place, index), schemas })));
  }

  private scalar(node: LocatedScalar, context: Context): unknown {
    const { interpolated } = node;
    const secret = context.secret || interpolated?.secret === true;
    const place: Place = { at: node.at, secret, text: node.text, quoted: !node.plain, from: interpolated };
    this.note(context, { ...place, settled: interpolated?.missing === true });
    if (!interpolated) this.origin(context, { kind: 'file', at: node.at });
    else this.fromVariables(node, interpolated, context);
    return interpolated?.whole && !interpolated.missing ? this.typed(node, { ...context, secret }, place) : node.value;
  }

  private fromVariables(node: LocatedScalar, from: NonNullable<LocatedScalar['interpolated']>, context: Context): void {
    const variable = from.variables.join(', ');
    if (!from.fromDefault) this.result.envCount += 1;
    this.origin(context, { kind: 'env', variable, at: node.at, ...(from.fromDefault && { fromDefault: true }) });
  }

  private typed(node: LocatedScalar, context: Context, place: Place): unknown {
    const text = String(node.value);
    const result = coerceText(text, typesOf(context.schemas), node.plain);
    if ('value' in result) return result.value;
    const shown = showValue(text, context);
    const value = node.interpolated?.fromDefault ? `not set and its default is ${shown}` : shown;
    const variable = node.interpolated?.variables[0] ?? '';
    const { owner, path } = this.input;
    const params = { path: fullPath(path, context.place), variable, value, owner, key: context.place, must: result.must };
    this.result.issues.push(treadleError('CONFIG_BAD_ENV', params, { at: node.at }));
    this.note(context, { ...place, settled: true });
    return null;
  }

  private isKnown(key: string, context: Context): boolean {
    return namedKeys(context.schemas).includes(key) || takesAnyKey(context.schemas, context.place === '');
  }

  private unknown(key: string, at: SourceLocation, context: Context): void {
    if (this.result.issues.length >= MAX_ISSUES) return;
    const known = [...namedKeys(context.schemas), ...(context.place === '' ? this.input.slotKeys : [])];
    const guess = nearest(key, known.filter((name) => !this.isDeprecated(name, context)));
    const place = keyPath(context.place, key);
    const { owner, path } = this.input;
    const hint = foreignKey(place, owner);
    const remedy = { ...hint && { hint }, ...guess !== undefined && { suggestion: keyPath(context.place, guess) } };
    this.result.issues.push(
      treadleError('CONFIG_UNKNOWN_KEY', { path: fullPath(path, place), owner, key: place, ...remedy }, { at }));
  }

  private isDeprecated(key: string, context: Context): boolean {
    return schemasOfKey(context.schemas, key).some((schema) => schema['x-deprecated'] !== undefined);
  }

  private deprecated(key: string, at: SourceLocation, context: Context): void {
    const [text] = schemasOfKey(context.schemas, key).map((schema) => schema['x-deprecated']).filter((use) => use !== undefined);
    if (text === undefined) return;
    const [, since, use] = /^since (\S+); (.*)$/s.exec(text) ?? [];
    const path = fullPath(this.input.path, keyPath(context.place, key));
    const params = { path, use: use ?? text, ...(since !== undefined && { since }) };
    this.result.issues.push(treadleError('CONFIG_DEPRECATED_KEY', params, { at }));
  }

  private note(context: Context, place: Place): void {
    this.result.places.set(context.place, place);
  }

  private origin(context: Context, origin: Origin): void {
    this.result.origins[context.place] = origin;
  }
}

/** A text behind a key like `password` is not shown even when the schema forgot to say so. */
function isSecretText(key: string, value: Located): boolean {
  return value.kind === 'scalar' && typeof value.value === 'string' && looksSecret(key);
}
