/** ISO 8601 UTC, e.g. `2026-11-23T20:00:00.000Z`. */
export type IsoTime = string;
/** Milliseconds since the epoch, perhaps with fractions. */
export type EpochMs = number;
/** Any JSON value. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** What somebody may do: look; steer messages, runs and data; also back up and make sessions for others. */
export type Role = 'viewer' | 'operator' | 'admin';

/** Body of every answer that is no success (RFC 9457, `application/problem+json`). */
export interface Problem {
  readonly status: number;
  /** Stable name, e.g. `not_found`. */
  readonly code: string;
  /** A sentence for people: what is wrong and what to do. */
  readonly detail: string;
  /** With `invalid_query`: the characters of the query that are wrong, `to` excluded. */
  readonly at?: TextSpan;
}

/** Characters of a text; `to` is excluded. */
export interface TextSpan {
  readonly from: number;
  readonly to: number;
}

/** A list, page by page. */
export interface Page<T, C = string> {
  readonly items: readonly T[];
  /** Pass it on for the next page; absent on the last one. */
  readonly cursor?: C;
}

/** A list of which everything is there. */
export interface Items<T> {
  readonly items: readonly T[];
}

/** A field of a query that nothing that is kept has. */
export interface UnknownField extends TextSpan {
  readonly field: string;
}
