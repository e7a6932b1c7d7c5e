/**
 * Values at a dotted path of a value, of a list those of each of its items; none where there is no such member. A member whose name has the dots counts first.
 */
export function valuesAt(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, path));
  if (typeof value !== 'object' || value === null) return [];
  const members = value as Readonly<Record<string, unknown>>;
  if (Object.hasOwn(members, path)) return [members[path]].flat();
  const dot = path.indexOf('.');
  const head = path.slice(0, dot);
  return dot >= 0 && Object.hasOwn(members, head) ? valuesAt(members[head], path.slice(dot + 1)) : [];
}
