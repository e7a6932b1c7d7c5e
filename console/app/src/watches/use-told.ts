import { useEffect, useRef } from 'react';
import { navigate } from '../url/location.js';
import { tell } from './tell.js';

/**
 * Says once that something has ended: when `text` is there and was not before. What had ended before the watch began is not told, unless it `begins`: then
 * whatever comes is new. While it is not `known` whether it has, such as before the first answer, nothing counts.
 */
export function useTold(text: string | undefined, tone: 'ok' | 'bad', to: string, { begins = false, known = true } = {}): void {
  const was = useRef(begins);
  const told = useRef(false);
  useEffect(() => {
    if (!known) return;
    if (text === undefined) {
      was.current = true;
      told.current = false;
    } else if (was.current && !told.current) {
      told.current = true;
      tell(text, tone, () => navigate(to));
    }
  }, [text === undefined, known]);
}
