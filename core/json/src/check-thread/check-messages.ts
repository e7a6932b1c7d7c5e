import type { CheckSource, SchemaRefusal } from '../schema-check.js';

/**
 * What bytes stand for: `json` of a client, which is read with every care; `trusted-json`, which was written by ourselves; or a `text`,
 * whose UTF-8 was found to be good.
 */
export type Reading = 'json' | 'trusted-json' | 'text';

/** To the thread. */
export interface CheckRequest {
  /** Goes back with the answer. */
  readonly space: ArrayBuffer;
  /** Bytes of it that count. */
  readonly length: number;
  readonly as: Reading;
  /** By which check; absent when the bytes are only to be read. */
  readonly check: number | undefined;
  /** Whether the outline of the value is to come back. */
  readonly outline: boolean;
  /** Sent with the first request of a check. */
  readonly source: CheckSource | undefined;
  /** All earlier checks can be dropped. */
  readonly forget: boolean;
}

/** Back from it. */
export interface CheckReply {
  readonly answer: CheckAnswer;
  readonly space: ArrayBuffer;
}

/** `fault`: a sentence for the client. `error`: a fault of ours. */
export type CheckAnswer = { readonly fault: string } | { readonly refusal: SchemaRefusal | undefined; readonly outline?: unknown } | { readonly error: string };
