import { useMemo } from 'react';
import type { SpanRow } from '../../api/types.generated.js';
import { useParam } from '../../url/location.js';
import { foldedBy, withBelow, withTurned } from './folds.js';

interface Folds {
  readonly folded: ReadonlySet<string>;
  readonly fold: (spanId: string) => void;
  /** The same for a span with all that is below it. */
  readonly foldBelow: (spanId: string, wanted: boolean) => void;
  /** Leaves so many levels open. */
  readonly foldTo: (depth: number) => void;
}

/** Spans that are folded; they stand in the address as `fold`. */
export function useFolds(rows: readonly SpanRow[]): Folds {
  const [text, setText] = useParam('fold');
  const folded = useMemo(() => foldedBy(text, rows), [text, rows]);
  const write = (next: string): void => setText(next, { replace: true });
  return { folded, fold: (spanId) => write(withTurned(text, spanId)), foldBelow: (spanId, wanted) => write(withBelow(text, spanId, { folded: wanted, rows })), foldTo: (depth) => write(String(depth)) };
}
