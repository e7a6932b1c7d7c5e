import type { CheckSource, SchemaRefusal } from '../schema-check.js';

/**
 * What bytes stand for: `json` of a client, which is read with every care; `trusted-json`, which was written by ourselves; or a `text`,
 * whose UTF-8 was found to be good.
 */
export type Reading = 'json' | 'trusted-json' | 'text';

/** To the thread. */
export interface CheckRequest {
  readonly bytes: Uint8Array;
  readonly as: Reading;
  /** By which check; absent when the bytes are only to be read. */
  readonly check: number | undefined;
  /** Sent with the first request of a check. */
  readonly source: CheckSource | undefined;
  /** All earlier checks can be dropped. */
  readonly forget: boolean;
}

/** Back from it. `error`: a fault of ours. */
export type CheckAnswer = { readonly fault: string } | { readonly refusal: SchemaRefusal | undefined } | { readonly error: string };
