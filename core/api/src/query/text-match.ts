/** A test for a text in other texts, whatever the case of its letters. */
export type TextMatch = (text: string) => boolean;

const SPECIAL = /[.*+?^${}()|[\]\\/]/g;

/** An expression of V8 is several times faster than lowering every text that is looked at. */
export function textMatch(text: string): TextMatch {
  const pattern = new RegExp(text.replace(SPECIAL, '\\$&'), 'i');
  return (other) => pattern.test(other);
}

/** True when a text within the value matches; keys of maps count. */
export function matchesWithin(value: unknown, matches: TextMatch): boolean {
  if (typeof value === 'string') return matches(value);
  if (typeof value === 'number' || typeof value === 'boolean') return matches(String(value));
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => matchesWithin(item, matches));
  for (const key in value) if (matches(key) || matchesWithin((value as Record<string, unknown>)[key], matches)) return true;
  return false;
}
