import { taste } from '../theme/taste.js';
import { type OwnKeys, readOwnKeys, swapped } from './key-swaps.js';

const NAME = 'keys';

/** The keys that this person has moved. */
export const ownKeys = (): OwnKeys => readOwnKeys(taste.read(NAME));

export function moveKey(key: string, own: string): void {
  taste.keep(NAME, JSON.stringify(swapped(ownKeys(), key, own)));
}

export function resetKeys(): void {
  taste.keep(NAME, '{}');
}
