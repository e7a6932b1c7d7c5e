import { useEffect, useState } from 'react';

/** Longer than a row stays in sight of somebody who scrolls on. */
const REST_MS = 350;

/** Whether this has been there for a moment: what a row asks the engine for is asked when it stays in sight. */
export function useRested(): boolean {
  const [rested, setRested] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setRested(true), REST_MS);
    return () => clearTimeout(timer);
  }, []);
  return rested;
}
