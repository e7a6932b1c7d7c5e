/** Members of an object that are looked at. */
const MOST_MEMBERS = 8;
/** Longest text of an outline, in UTF-16 units; keys and ids are shorter. */
const LONGEST_TEXT = 4096;
/** An outline has the members of the value and of those members. */
const LEVELS = 2;

/**
 * What a large object is about without what makes it large: of its first eight members those that are short texts, numbers, booleans or null, and the
 * outlines of those that are objects. Undefined for anything else.
 */
export function outlineOf(value: unknown, levels = LEVELS): Readonly<Record<string, unknown>> | undefined {
  if (levels === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const outline: Record<string, unknown> = {};
  let seen = 0;
  for (const key in value) {
    if (++seen > MOST_MEMBERS) break;
    const part = partOf((value as Record<string, unknown>)[key], levels);
    if (part !== undefined) Object.defineProperty(outline, key, { value: part, enumerable: true });
  }
  return outline;
}

function partOf(value: unknown, levels: number): unknown {
  if (typeof value === 'string') return value.length <= LONGEST_TEXT ? value : undefined;
  return typeof value === 'object' && value !== null ? outlineOf(value, levels - 1) : value;
}
