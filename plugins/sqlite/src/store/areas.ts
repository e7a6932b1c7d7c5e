import { stateArea } from '../state/state-operations.js';
import type { StoreArea } from './store-area.js';

/** All areas of a store file; the writer thread and the engine read the same list. */
export const AREAS: readonly StoreArea[] = [stateArea];
