type Keywords = Readonly<Record<string, unknown>>;

/** Deepest nesting that is written; what lies below is `unknown`. */
const MAX_DEPTH = 32;
const PRIMITIVES: Readonly<Record<string, string>> = { string: 'string', number: 'number', integer: 'number', boolean: 'boolean', null: 'null' };

/** The TypeScript type of the values that a JSON Schema accepts, for what types can say; `unknown` for the rest. */
export function schemaType(schema: unknown): string {
  return new TypeWriter(schema).write(schema, 0);
}

class TypeWriter {
  /** References that are being written: a type that contains itself cannot be written in place. */
  private readonly open = new Set<string>();

  constructor(private readonly root: unknown) {}

  write(schema: unknown, depth: number): string {
    if (schema === false) return 'never';
    if (!isKeywords(schema) || depth > MAX_DEPTH) return 'unknown';
    const { $ref, anyOf, oneOf, allOf, type } = schema;
    if (typeof $ref === 'string') return this.reference($ref, depth);
    if ('const' in schema) return literal(schema['const']);
    if (Array.isArray(schema['enum'])) return union(schema['enum'].map(literal));
    const alternatives = anyOf ?? oneOf;
    if (Array.isArray(alternatives)) return union(alternatives.map((one) => this.write(one, depth + 1)));
    if (Array.isArray(allOf)) return this.all(schema, allOf, depth);
    const types: readonly unknown[] = Array.isArray(type) ? type : [type ?? impliedType(schema)];
    return union(types.map((one) => this.ofType(one, schema, depth)));
  }

  private reference(reference: string, depth: number): string {
    if (this.open.has(reference)) return 'unknown';
    this.open.add(reference);
    const type = this.write(resolve(reference, this.root), depth + 1);
    this.open.delete(reference);
    return type;
  }

  private all(schema: Keywords, parts: readonly unknown[], depth: number): string {
    const { allOf: _all, ...rest } = schema;
    return intersection([rest, ...parts].map((part) => this.write(part, depth + 1)));
  }

  private ofType(type: unknown, schema: Keywords, depth: number): string {
    if (type === 'array') return this.array(schema, depth);
    if (type === 'object') return this.object(schema, depth);
    return typeof type === 'string' && Object.hasOwn(PRIMITIVES, type) ? PRIMITIVES[type] ?? 'unknown' : 'unknown';
  }

  private array({ items, prefixItems }: Keywords, depth: number): string {
    if (!Array.isArray(prefixItems)) return `readonly ${enclosed(items === undefined ? 'unknown' : this.write(items, depth + 1))}[]`;
    const first = prefixItems.map((item) => this.write(item, depth + 1));
    const rest = items === false ? [] : [`...${enclosed(items === undefined ? 'unknown' : this.write(items, depth + 1))}[]`];
    return `readonly [${[...first, ...rest].join(', ')}]`;
  }

  private object({ properties, required, additionalProperties }: Keywords, depth: number): string {
    const needed: readonly unknown[] = Array.isArray(required) ? required : [];
    const members = Object.entries(isKeywords(properties) ? properties : {})
      .map(([name, property]) => `${key(name)}${needed.includes(name) ? '' : '?'}: ${this.write(property, depth + 1)}`);
    const others = isKeywords(additionalProperties) ? this.write(additionalProperties, depth + 1) : 'unknown';
    if (members.length === 0) return additionalProperties === false ? 'Record<string, never>' : `Record<string, ${others}>`;
    return `{ ${members.join('; ')} }`;
  }
}

/** Type of a schema that names none but uses its keywords. */
function impliedType({ properties, items, prefixItems }: Keywords): string | undefined {
  if (properties !== undefined) return 'object';
  return items !== undefined || prefixItems !== undefined ? 'array' : undefined;
}

function literal(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'unknown' : JSON.stringify(value) ?? 'unknown';
}

/** Types side by side, each once. */
function union(types: readonly string[]): string {
  const distinct = [...new Set(types)].filter((type) => type !== 'never');
  if (distinct.includes('unknown')) return 'unknown';
  return distinct.length === 0 ? 'never' : distinct.join(' | ');
}

/** What fits all types; `unknown` adds nothing to it. */
export function intersection(types: readonly string[]): string {
  const distinct = [...new Set(types)].filter((type) => type !== 'unknown');
  if (distinct.length === 0) return 'unknown';
  return distinct.length === 1 ? distinct[0] ?? 'unknown' : distinct.map((type) => (type.includes(' | ') ? `(${type})` : type)).join(' & ');
}

function enclosed(type: string): string {
  return / [|&] |^readonly /.test(type) && !/^\{.*\}$/.test(type) ? `(${type})` : type;
}

/** A property's name as a type writes it. */
export function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name.replace(/[\\']/g, '\\$&').replace(/[\u0000-\u001f\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}'`;
}

function resolve(reference: string, root: unknown): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let at = root;
  for (const part of reference.slice(2).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isKeywords(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return at;
}

function isKeywords(value: unknown): value is Keywords {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
