type Keywords = Readonly<Record<string, unknown>>;

/** Deeper parts are not compared. */
const MAX_DEPTH = 12;

/**
 * Why no value at all can fit two JSON Schemas, as far as their structure shows it: disjoint types, values or required
 * properties. Undefined when there may be one, and for what it does not understand.
 */
export function schemaConflict(a: unknown, b: unknown, path = '', depth = 0): string | undefined {
  if (!isKeywords(a) || !isKeywords(b) || depth > MAX_DEPTH || '$ref' in a || '$ref' in b) return undefined;
  return typeConflict(a, b, path) ?? valueConflict(a, b, path) ?? alternativeConflict(a, b, path, depth) ?? propertyConflict(a, b, path, depth);
}

function typeConflict(a: Keywords, b: Keywords, path: string): string | undefined {
  const [one, other] = [typesOf(a), typesOf(b)];
  if (!one || !other || one.some((type) => other.some((second) => overlap(type, second)))) return undefined;
  return `${at(path)} is ${one.join(' or ')} in one and ${other.join(' or ')} in the other`;
}

function typesOf({ type }: Keywords): readonly string[] | undefined {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((one) => typeof one === 'string') : undefined;
}

function overlap(a: string, b: string): boolean {
  return a === b || [a, b].sort().join() === 'integer,number';
}

function valueConflict(a: Keywords, b: Keywords, path: string): string | undefined {
  const [one, other] = [valuesOf(a), valuesOf(b)];
  if (!one || !other || one.some((value) => other.includes(value))) return undefined;
  return `${at(path)} has no value that both allow`;
}

/** Allowed values as JSON, when they are listed. */
function valuesOf({ const: only, enum: values }: Keywords): readonly string[] | undefined {
  if (only !== undefined) return [JSON.stringify(only)];
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : undefined;
}

/** All branches of an alternative, or one of what must hold together. */
function alternativeConflict(a: Keywords, b: Keywords, path: string, depth: number): string | undefined {
  for (const [schema, other] of [[a, b], [b, a]] as const) {
    for (const keyword of ['anyOf', 'oneOf']) {
      const found = branches(schema, keyword).map((branch) => schemaConflict(branch, other, path, depth + 1));
      if (found.length > 0 && found.every((conflict) => conflict !== undefined)) return found[0];
    }
    const found = branches(schema, 'allOf').map((part) => schemaConflict(part, other, path, depth + 1)).find(Boolean);
    if (found) return found;
  }
  return undefined;
}

function branches(schema: Keywords, keyword: string): readonly unknown[] {
  const value = schema[keyword];
  return Array.isArray(value) ? value : [];
}

/** Only where both ask for an object is there something that must be there. */
function propertyConflict(a: Keywords, b: Keywords, path: string, depth: number): string | undefined {
  if (!onlyObjects(a) || !onlyObjects(b)) return undefined;
  for (const name of new Set([...required(a), ...required(b)])) {
    const inner = path === '' ? name : `${path}.${name}`;
    const [one, other] = [propertyOf(a, name), propertyOf(b, name)];
    if (one === false || other === false) return `${at(inner)} is required by one and not allowed by the other`;
    const conflict = schemaConflict(one, other, inner, depth + 1);
    if (conflict) return conflict;
  }
  return undefined;
}

function onlyObjects(schema: Keywords): boolean {
  return typesOf(schema)?.every((type) => type === 'object') ?? false;
}

function required(schema: Keywords): readonly string[] {
  return branches(schema, 'required').filter((name) => typeof name === 'string');
}

function propertyOf({ properties, patternProperties, additionalProperties }: Keywords, name: string): unknown {
  if (isKeywords(properties) && Object.hasOwn(properties, name)) return properties[name];
  return patternProperties === undefined ? additionalProperties : undefined;
}

const at = (path: string): string => (path === '' ? 'the message' : `"${path}"`);

function isKeywords(value: unknown): value is Keywords {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
