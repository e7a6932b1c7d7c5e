/** ISO 8601 UTC, e.g. `2026-11-23T20:00:00.000Z`. */
export type IsoTime = string;
/** Milliseconds since the epoch, perhaps with fractions. */
export type EpochMs = number;
/** A time in the body of a search: ISO 8601, or milliseconds since the epoch. */
export type TimeArgument = string | number;
/** Fields that must have these values. */
export type MapArgument = Readonly<Record<string, string | number | boolean>>;
/**
 * Any JSON value that the application made: a payload. Who sees no payloads gets a stand-in instead.
 * @payload all
 */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Any JSON value that is no payload: it comes from code, configuration or the engine. */
export type PlainJson = null | boolean | number | string | readonly PlainJson[] | { readonly [key: string]: PlainJson };
/**
 * A text that is a payload, such as a body or the value of a header. Who sees no payloads gets a stand-in instead.
 * @payload all
 */
export type PayloadText = string;
/**
 * An address, whose query is a payload.
 * @payload query
 */
export type Address = string;

/** What somebody may do: look; steer messages, runs and data; also back up and make sessions for others. */
export type Role = 'viewer' | 'operator' | 'admin';

/** Body of every answer that is no success (RFC 9457, `application/problem+json`). */
export interface Problem {
  readonly status: number;
  /** Stable name, e.g. `not_found`. */
  readonly code: string;
  /** A sentence for people: what is wrong and what to do. */
  readonly detail: string;
  /** That of the header `X-Request-Id` and of the entry in the audit. */
  readonly requestId: string;
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

/** What a route answers that removes something. */
export interface Deleted {
  readonly deleted: true;
}
