import { useState } from 'react';
import { useCommands } from './commands.js';

interface Marks {
  readonly marked: readonly string[];
  readonly toggle: (id: string) => void;
  readonly clear: () => void;
}

/** Rows that are chosen: `x` chooses the current one or leaves it, `X` chooses all between the one that was chosen last and the current one. */
export function useMarks(ids: readonly string[], at: number): Marks {
  const [marked, setMarked] = useState<readonly string[]>([]);
  const toggle = (id: string): void => setMarked((before) => (before.includes(id) ? before.filter((one) => one !== id) : [...before, id]));
  const range = (): void => {
    const from = ids.indexOf(marked.at(-1) ?? '');
    const between = from < 0 ? ids.slice(at, at + 1) : ids.slice(Math.min(from, at), Math.max(from, at) + 1);
    setMarked((before) => [...new Set([...before, ...between])]);
  };
  useCommands(at < 0 ? [] : [
    { title: 'Choose the row, or leave it', keys: ['x'], run: () => void (ids[at] !== undefined && toggle(ids[at])) },
    { title: 'Choose all rows up to this one', keys: ['X'], run: range },
  ]);
  return { marked, toggle, clear: () => setMarked([]) };
}
