import { type ComponentType, lazy, type LazyExoticComponent } from 'react';
import { live } from '../live/live-client.js';

const AGAIN_MS = 500;
/** Failures with an engine that answers, after which the file is not there. */
const TRIES = 3;

/** A component whose code is loaded when it is first drawn. While the engine is gone it waits for it. */
export function lazily<P>(load: () => Promise<{ default: ComponentType<P> }>): LazyExoticComponent<ComponentType<P>> {
  return lazy(() => patiently(load));
}

async function patiently<T>(load: () => Promise<T>): Promise<T> {
  for (let failures = 0; ;) {
    try {
      return await load();
    } catch (error) {
      if (live.status !== 'gone') failures += 1;
      if (failures >= TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}
