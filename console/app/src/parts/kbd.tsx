import { type ReactNode, useSyncExternalStore } from 'react';
import { type OwnKeys, pressedFor, readOwnKeys } from '../keys/key-swaps.js';
import { ownKeys } from '../keys/own-keys.js';
import { taste } from '../theme/taste.js';
import css from './controls.module.css';

/** The keys that a person has moved; drawn anew when they change. */
export function useOwnKeys(): OwnKeys {
  return readOwnKeys(useSyncExternalStore((listener) => taste.onChange(listener), () => JSON.stringify(ownKeys())));
}

/** A key of the page, as it is to be pressed. */
export function Kbd({ children }: { readonly children: ReactNode }) {
  const keys = useOwnKeys();
  return <kbd className={css.kbd}>{typeof children === 'string' ? pressedFor(keys, children) : children}</kbd>;
}
