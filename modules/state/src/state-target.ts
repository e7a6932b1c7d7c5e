import { matchesWithin, type QueryTarget, type StateItem, textMatch } from '@treadle/api';

/** What queries ask entries: key and revision, and members of the value by their dotted paths; of a list each of its items. `value` is a value that has no members. */
export const STATE_TARGET: QueryTarget<StateItem> = {
  known: { key: 'text', revision: 'number' },
  values: ({ key, revision, value }, field) => {
    if (field === 'key') return [key];
    if (field === 'revision') return [revision];
    return field === 'value' && (typeof value !== 'object' || value === null) ? [value] : valuesAt(value, field);
  },
  mentions: (text) => {
    const matches = textMatch(text);
    return ({ key, value }) => matches(key) || matchesWithin(value, matches);
  },
};

/** A member whose name has the dots counts first. */
function valuesAt(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, path));
  if (typeof value !== 'object' || value === null) return [];
  const members = value as Readonly<Record<string, unknown>>;
  if (Object.hasOwn(members, path)) return [members[path]].flat();
  const dot = path.indexOf('.');
  const head = path.slice(0, dot);
  return dot >= 0 && Object.hasOwn(members, head) ? valuesAt(members[head], path.slice(dot + 1)) : [];
}
