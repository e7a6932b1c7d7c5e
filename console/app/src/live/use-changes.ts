import { useEffect, useRef } from 'react';
import { useTogether } from './use-together.js';

/** Acts after a text has become another one than it was first, at most every `everyMs`: for what must be asked anew when something that is followed has changed. */
export function useChanges(text: string | undefined, act: () => void, everyMs: number): void {
  const later = useTogether(act, everyMs);
  const former = useRef(text);
  useEffect(() => {
    if (former.current !== undefined && former.current !== text) later();
    former.current = text;
  }, [text]);
}
