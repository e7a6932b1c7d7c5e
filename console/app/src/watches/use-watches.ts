import { useSyncExternalStore } from 'react';
import { taste } from '../theme/taste.js';
import { readWatches, toggledWatch, type Watch, watchName } from './watches.js';

const NAME = 'watches';

interface Watches {
  readonly all: readonly Watch[];
  readonly has: (watch: Watch) => boolean;
  readonly toggle: (watch: Watch) => void;
}

/** What somebody watches, and what begins or ends it. */
export function useWatches(): Watches {
  const text = useSyncExternalStore((listener) => taste.onChange(listener), () => taste.read(NAME));
  const all = readWatches(text);
  return {
    all, has: (watch) => all.some((one) => watchName(one) === watchName(watch)),
    toggle: (watch) => taste.keep(NAME, JSON.stringify(toggledWatch(readWatches(taste.read(NAME)), watch))),
  };
}
