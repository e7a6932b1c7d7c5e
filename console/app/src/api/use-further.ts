import { useLayoutEffect, useRef } from 'react';
import { attempt } from '../parts/toasts.js';

interface Part<T, C> {
  readonly items: readonly T[];
  readonly cursor?: C;
}

/** Loads what follows a page, piece by piece, each when the result is called; `add` gets it unless another page is shown by then. */
export function useFurther<T, C>(page: Part<T, C>, ask: (cursor: C) => Promise<Part<T, C>>, add: (items: readonly T[]) => void): () => void {
  const place = useRef({ cursor: page.cursor, loading: false });
  // Before a list whose end is in sight at once asks for more.
  useLayoutEffect(() => void (place.current = { cursor: page.cursor, loading: false }), [page]);
  return () => {
    const here = place.current;
    if (here.cursor === undefined || here.loading) return;
    const from = here.cursor;
    here.loading = true;
    void attempt(async () => {
      const next = await ask(from);
      if (here !== place.current) return;
      here.cursor = next.cursor;
      add(next.items);
    }).finally(() => void (here.loading = false));
  };
}
