import type { Json, StateEntry } from '@treadle/api';

/** Whether reading a JSON text costs less than to put it off. */
export const isQuick = (text: string): boolean => text.length <= 1_000;

/**
 * An entry, a fresh object each time. The value of a large one is read from its JSON text once somebody asks for it: a write that does not look at
 * what was there, or whose result nobody looks at, does not pay for it.
 */
export function storedEntry(text: string, revision: number): StateEntry {
  if (isQuick(text)) return { value: JSON.parse(text) as Json, revision };
  let value: Json | undefined;
  return {
    get value(): Json {
      return value ??= JSON.parse(text) as Json;
    },
    revision,
  };
}
