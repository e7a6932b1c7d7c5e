import { describedSchema, partsOf, pointerOf, withParts } from '@treadle/json';

type Json = Readonly<Record<string, unknown>>;
type Schema = object | boolean;

/** Keywords with parts that a schema refers to by name. */
const NAMED_PARTS = ['$defs', 'definitions'] as const;

/**
 * Brings the schemas of Steps into one document. Parts that a schema names are kept in `components.schemas`, under their names where those
 * are free; so is a schema that refers to itself, because `#` in it would now mean the whole document. Any other is written where it is used.
 */
export class SchemaBook {
  private readonly kept = new Map<string, unknown>();
  /** What names of parts stand for, so that the same part of two schemas is kept once. */
  private readonly parts = new Map<string, string>();

  /** `taken`: names in `components.schemas` that others have. */
  constructor(private readonly taken: readonly string[] = []) {}

  /** `components.schemas`, by name. */
  get components(): Json {
    return Object.fromEntries(this.kept);
  }

  /** The schema as it is written where it is used. `name` is what it is kept under, made fit and unique. */
  place(schema: Schema, name: string): Schema {
    const { plain, moves } = this.prepared(schema, name);
    if (!refersTo(plain, (reference) => targetOf(reference, moves) === undefined)) return rebased(plain, moves) as Schema;
    const own = new Map([...moves, ['#', this.reserve(name)]]);
    return { $ref: this.keep(plain, own) };
  }

  /** The schemas of an object's properties, each as it is written where it is used; undefined when they are not listed. */
  properties(schema: Schema, name: string): readonly ObjectProperty[] | undefined {
    const { plain, moves } = this.prepared(schema, name);
    const listed = listedProperties(plain);
    if (listed === undefined) return undefined;
    const isOwn = (reference: string): boolean => targetOf(reference, moves) === undefined;
    const all = listed.some((property) => refersTo(property.schema, isOwn)) ? new Map([...moves, ['#', this.reserve(name)]]) : moves;
    if (all !== moves) this.keep(plain, all);
    return listed.map((property) => ({ ...property, schema: rebased(property.schema, all) as Schema }));
  }

  /** A schema without its named parts, which are kept, and where references to them lead now. */
  private prepared(schema: Schema, name: string): { readonly plain: Schema; readonly moves: Moves } {
    const whole = withoutDialect(describedSchema(schema));
    const moves = new Map<string, string>();
    if (typeof whole === 'boolean' || typeof (whole as Json)['$id'] === 'string') return { plain: whole, moves };
    const named = NAMED_PARTS.flatMap((keyword) => Object.entries(isJson((whole as Json)[keyword]) ? (whole as Json)[keyword] as Json : {})
      .map(([part, value]) => ({ part, value, reference: `#/${keyword}/${escaped(part)}` })))
      .filter(({ reference }) => refersTo(whole, (other) => other === reference || other.startsWith(`${reference}/`)));
    const all = JSON.stringify(named.map(({ part, value }) => [part, value]));
    // A part that refers to the whole schema stays with it.
    const movable = named.filter(({ value }) => !refersTo(value, (other) => !named.some(({ reference }) => other === reference || other.startsWith(`${reference}/`))));
    const fresh = movable.filter(({ part, reference }) => {
      const known = this.parts.get(`${part} ${all}`);
      moves.set(reference, known ?? this.reserve(/^__/.test(part) || this.isTaken(fitName(part)) ? `${name}.${part}` : part));
      if (known === undefined) this.parts.set(`${part} ${all}`, moves.get(reference) as string);
      return known === undefined;
    });
    for (const { value, reference } of fresh) this.kept.set((moves.get(reference) as string).slice(COMPONENTS.length), rebased(value, moves));
    return { plain: movable.length === 0 ? whole : withoutParts(whole as Json, movable), moves };
  }

  private keep(schema: Schema, moves: Moves): string {
    const base = moves.get('#') as string;
    this.kept.set(base.slice(COMPONENTS.length), rebased(schema, moves));
    return base;
  }

  private isTaken(name: string): boolean {
    return this.kept.has(name) || this.taken.includes(name);
  }

  /** Returns the reference to what is going to be kept. */
  private reserve(wanted: string): string {
    const fit = fitName(wanted);
    let name = fit;
    for (let copy = 2; this.isTaken(name); copy++) name = `${fit}-${copy}`;
    this.kept.set(name, {});
    return `${COMPONENTS}${name}`;
  }
}

const COMPONENTS = '#/components/schemas/';
/** Where references lead, by their beginning. */
type Moves = ReadonlyMap<string, string>;

const fitName = (name: string): string => name.replace(/[^A-Za-z0-9._-]/g, '_');
const escaped = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');

function withoutParts(schema: Json, moved: readonly { readonly reference: string }[]): Schema {
  const gone = new Set(moved.map(({ reference }) => reference));
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (!NAMED_PARTS.includes(key as '$defs') || !isJson(value)) return [[key, value]];
    const left = Object.entries(value).filter(([part, each]) => !gone.has(`#/${key}/${escaped(part)}`) && refersTo(schema, (other) => other.startsWith(`#/${key}/${escaped(part)}`)) && each !== undefined);
    return left.length === 0 ? [] : [[key, Object.fromEntries(left)]];
  });
  return Object.fromEntries(entries);
}

/** Where a pointer leads now; undefined when it leads into the schema itself. */
function targetOf(pointer: string, moves: Moves): string | undefined {
  for (const [from, to] of moves) if (from !== '#' && (pointer === from || pointer.startsWith(`${from}/`))) return `${to}${encoded(pointer.slice(from.length))}`;
  const own = moves.get('#');
  return own === undefined ? undefined : `${own}${encoded(pointer.slice(1))}`;
}

/** A pointer as the URI of a reference has it. */
const encoded = (pointer: string): string => encodeURI(pointer).replaceAll('#', '%23');

/** One property of an object's schema. */
export interface ObjectProperty {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

function listedProperties(schema: Schema): readonly ObjectProperty[] | undefined {
  if (typeof schema === 'boolean') return undefined;
  const { properties, required, $ref, allOf, anyOf, oneOf } = schema as Json;
  const isComposed = [$ref, allOf, anyOf, oneOf].some((part) => part !== undefined);
  if (isComposed || !isJson(properties)) return undefined;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, property]) => ({ name, required: needed.includes(name), schema: property as Schema }));
}

/** The document says once which dialect its schemas are in. */
function withoutDialect(schema: Schema): Schema {
  if (typeof schema === 'boolean' || !('$schema' in schema)) return schema;
  const { $schema: _dialect, ...rest } = schema as Json;
  return rest;
}

/** True when a schema has a reference into its own document whose pointer `matters`. */
function refersTo(value: unknown, matters: (pointer: string) => boolean): boolean {
  // With an id of its own, its references are relative to that wherever it stands.
  if (isJson(value) && typeof value['$id'] === 'string') return false;
  const reference = isJson(value) ? value['$ref'] : undefined;
  return (isOwnReference(reference) && matters(pointerOf(reference))) || partsOf(value).some((part) => refersTo(part, matters));
}

/** References to what has moved lead there. */
function rebased(value: unknown, moves: Moves): unknown {
  if (isJson(value) && typeof value['$id'] === 'string') return value;
  const inner = withParts(value, (part) => rebased(part, moves));
  if (!isJson(inner)) return inner;
  const moved = (part: unknown): unknown => (isOwnReference(part) ? targetOf(pointerOf(part), moves) ?? part : part);
  return Object.fromEntries(Object.entries(inner).map(([key, part]): [string, unknown] => {
    if (key === '$ref') return [key, moved(part)];
    // Tools follow its texts as references.
    if (key === 'discriminator' && isJson(part) && isJson(part['mapping'])) {
      return [key, { ...part, mapping: Object.fromEntries(Object.entries(part['mapping']).map(([tag, target]) => [tag, moved(target)])) }];
    }
    return [key, part];
  }));
}

const isOwnReference = (value: unknown): value is string => value === '#' || (typeof value === 'string' && value.startsWith('#/'));

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
