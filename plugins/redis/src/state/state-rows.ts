import { encodeKey, type Json, type StateEntry } from '@treadle/api';

/** A key in the store's form. */
export interface Place {
  readonly group: string;
  readonly key: string;
}

/** A key as it is, or as a write under way will make it; `text` is undefined when there is no value. */
export interface Known {
  readonly text: string | undefined;
  readonly revision: number;
}

/** What a script gives for a key: its raw value, or the revision of one that is missing. */
export type Raw = string | number;

export function placeOf({ group, key }: { readonly group: string; readonly key: string }): Place {
  return { group: encodeKey(group), key: encodeKey(key) };
}

export function knownOf(raw: Raw): Known {
  if (typeof raw === 'number') return { text: undefined, revision: raw };
  const end = raw.indexOf('\n');
  return { revision: Number(raw.slice(0, end)), text: raw.slice(end + 1) };
}

/** A fresh object each time. */
export function entryOf({ text, revision }: Known): StateEntry | undefined {
  return text === undefined ? undefined : { value: JSON.parse(text) as Json, revision };
}
