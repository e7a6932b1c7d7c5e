import type { Json } from '../config-schema.js';

/**
 * `keep` writes nothing. `set` replaces value and time to live; with `keepExpiry` a live entry goes on expiring when it would have. `text`: JSON of
 * the value where that is known; an adapter that stores text takes it and leaves the value alone, which may have to be read from it first.
 */
export type StateDecision =
  | { readonly action: 'keep' }
  | {
    readonly action: 'set'; readonly value: Json; readonly text?: string | undefined; /** Milliseconds since the epoch. */ readonly expiresAt?: number | undefined;
    readonly keepExpiry?: boolean;
  }
  | { readonly action: 'delete' };

/** A group of a stream: what clients join and what is ordered. */
export interface StreamGroup {
  readonly stream: string;
  readonly groupId: string;
}

/** What becomes of an item. `text`: JSON of the value where that is known, as in `StateDecision`. */
export type StreamDecision =
  | { readonly action: 'keep' }
  | { readonly action: 'set'; readonly value: Json; readonly text?: string | undefined }
  | { readonly action: 'delete' };
