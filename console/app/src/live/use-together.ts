import { useEffect, useRef } from 'react';

/** Calls of the result lead to one of `act` at most every `everyMs`; none after the component has gone. */
export function useTogether(act: () => void, everyMs: number): () => void {
  const latest = useRef(act);
  latest.current = act;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, everyMs);
  };
}
