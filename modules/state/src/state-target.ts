import { matchesWithin, type QueryTarget, type StateItem, textMatch, valuesAt } from '@treadle/api';

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
