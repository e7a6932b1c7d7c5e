import { useMemo, useRef, useState } from 'react';
import { useCommands } from '../../keys/commands.js';
import { useParam } from '../../url/location.js';
import { foldRepeats, type RepeatedLine, rowOf, type ShownRow } from './repeats.js';
import type { TailRow } from './tail-row.js';

interface ShownRows {
  readonly rows: readonly ShownRow[];
  /** Index of the row that has the line of the address, or is the mark that the address names. */
  readonly at: number;
  readonly unfold: (row: RepeatedLine) => void;
}

/** Rows of the list, repeated lines as one unless the address says `repeats=apart`. The arrows unfold and fold those of the row that has this line. */
export function useShownRows(tail: readonly TailRow[], line: string): ShownRows {
  const [repeats] = useParam('repeats');
  const [apart, setApart] = useState<ReadonlySet<number>>(new Set());
  const rows = useMemo(() => (repeats === 'apart' ? tail : foldRepeats(tail, ({ id }) => apart.has(id))), [tail, repeats, apart]);
  const at = line === '' ? -1 : rowOf(rows, line);
  const row = rows[at];
  const latest = useRef(tail);
  latest.current = tail;
  const unfold = ({ lines }: RepeatedLine): void => {
    // Of what has left the list nothing is kept. A row may have this function from when there were fewer.
    const there = new Set<unknown>(latest.current.map(({ id }) => id));
    setApart((before) => new Set([...[...before].filter((id) => there.has(id)), ...lines.map(({ id }) => id)]));
  };
  const fold = (): void => {
    // Those next to it that were unfolded with it say the same.
    const same = new Set(foldRepeats(tail, () => false).flatMap((one) => ('lines' in one && one.lines.some(({ id }) => String(id) === line) ? one.lines.map(({ id }) => id) : [])));
    setApart((before) => new Set([...before].filter((id) => !same.has(id))));
  };
  useCommands(row === undefined ? [] : [
    { title: 'Unfold the repeated lines', keys: ['ArrowRight'], quiet: true, run: () => void ('lines' in row && unfold(row)) },
    { title: 'Fold the repeated lines', keys: ['ArrowLeft'], quiet: true, run: fold },
  ]);
  return { rows, at, unfold };
}
