type Json = Readonly<Record<string, unknown>>;
type Schema = object | boolean;

/** Values, not schemas: what looks like a reference in them is none. */
const VALUES = new Set(['const', 'enum', 'default', 'examples', 'example']);

/**
 * Brings the schemas of Steps into one document. A schema that refers to parts of itself is kept in `components.schemas`, because
 * `#` in it would now mean the whole document; any other is written where it is used.
 */
export class SchemaBook {
  private readonly kept = new Map<string, unknown>();

  /** `components.schemas`, by name. */
  get components(): Json {
    return Object.fromEntries(this.kept);
  }

  /** The schema as it is written where it is used. `name` is what it is kept under, made fit and unique. */
  place(schema: Schema, name: string): Schema {
    const plain = withoutDialect(schema);
    return refersToItself(plain) ? { $ref: this.keep(plain, name) } : plain;
  }

  /** The schemas of an object's properties, each as it is written where it is used; undefined when they are not listed. */
  properties(schema: Schema, name: string): readonly ObjectProperty[] | undefined {
    const listed = listedProperties(schema);
    if (listed === undefined) return undefined;
    const base = listed.some(({ schema: property }) => refersToItself(property)) ? this.keep(withoutDialect(schema), name) : '#';
    return listed.map((property) => ({ ...property, schema: rebased(property.schema, base) as Schema }));
  }

  /** Returns the reference to it. */
  private keep(schema: Schema, wanted: string): string {
    const fit = wanted.replace(/[^A-Za-z0-9._-]/g, '_');
    let name = fit;
    for (let copy = 2; this.kept.has(name); copy++) name = `${fit}-${copy}`;
    const base = `#/components/schemas/${name}`;
    this.kept.set(name, rebased(schema, base));
    return base;
  }
}

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

function refersToItself(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(refersToItself);
  // With an id of its own, its references are relative to that wherever it stands.
  if (!isJson(value) || typeof value['$id'] === 'string') return false;
  return isOwnReference(value['$ref']) || Object.entries(value).some(([key, part]) => !VALUES.has(key) && refersToItself(part));
}

/** References to the schema's own root now go to `base`. */
function rebased(value: unknown, base: string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => rebased(item, base));
  if (!isJson(value) || typeof value['$id'] === 'string') return value;
  const entries = Object.entries(value).map(([key, part]): [string, unknown] => {
    if (key === '$ref' && isOwnReference(part)) return [key, `${base}${part.slice(1)}`];
    return [key, VALUES.has(key) ? part : rebased(part, base)];
  });
  return Object.fromEntries(entries);
}

const isOwnReference = (value: unknown): value is string => value === '#' || (typeof value === 'string' && value.startsWith('#/'));

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
