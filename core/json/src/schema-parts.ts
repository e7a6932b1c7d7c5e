type Keywords = Readonly<Record<string, unknown>>;

/** Keywords with schemas by name: names mean nothing, whatever keyword they look like. */
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);
/** Keywords with values: what looks like a schema in them is none. */
const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'example']);

/**
 * A copy of a schema, or of a list of them, with `change` applied to each part right in it that may be a schema. Keywords that nobody knows may
 * have some: a reference can lead there.
 */
export function withParts(schema: unknown, change: (part: unknown) => unknown): unknown {
  if (Array.isArray(schema)) return schema.map(change);
  if (!isKeywords(schema)) return schema;
  const named = (parts: Keywords): Keywords => Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, change(part)]));
  return Object.fromEntries(Object.entries(schema).map(([key, part]) => {
    if (VALUES.has(key)) return [key, part];
    return [key, NAMED.has(key) && isKeywords(part) ? named(part) : change(part)];
  }));
}

/** The parts right in a schema, or in a list of them, that may be schemas. */
export function partsOf(schema: unknown): readonly unknown[] {
  const parts: unknown[] = [];
  withParts(schema, (part) => parts.push(part));
  return parts;
}

/** A reference as a pointer without percent signs of its URI; as it is where they are none. */
export function pointerOf(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}

/** What a local reference such as `#/$defs/Tags` leads to; undefined where that is nothing, or elsewhere. */
export function partAt(reference: string, root: unknown): unknown {
  const pointer = pointerOf(reference);
  if (pointer === '#') return root;
  if (!pointer.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const segment of pointer.slice(2).split('/')) {
    const name = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    at = typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? (at as Keywords)[name] : undefined;
  }
  return at;
}

function isKeywords(value: unknown): value is Keywords {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
