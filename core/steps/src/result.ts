import type { StepConfig } from './config.js';
import type { ResponseHeaders } from './response-headers.js';
import type { InputOf } from './schema.js';
import type { TriggerOfKind } from './step-input.js';
import type { StreamedResponse } from './streaming.js';

/** A body that is bytes, or from which bytes can be read; it is sent as it is, with content type `application/octet-stream` unless the headers say another. */
export type RawBody = ArrayBuffer | ArrayBufferView | BlobLike | WebStreamLike | AsyncIterable<string | Uint8Array>;

/*
 * By their form: where the compilation of an application has neither the types of Node.js nor those of browsers, their names would be `any`, and
 * any answer would fit. A `Readable` of Node.js is an AsyncIterable.
 */
interface BlobLike {
  readonly size: number;
  readonly type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
  stream(): unknown;
}

interface WebStreamLike {
  readonly locked: boolean;
  cancel(reason?: unknown): Promise<void>;
  getReader(): unknown;
}

interface ResponseLike {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: { get(name: string): string | null };
  readonly body: unknown;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** What a handler of an http trigger answers. Returning nothing answers 204. */
export interface HttpResponse<Status extends number = number, Body = unknown> {
  readonly status: Status;
  /** Any JSON, a `RawBody`, or a promise of one. A string with a content type is sent as it is, without one as JSON. */
  readonly body?: Body;
  readonly headers?: ResponseHeaders | undefined;
}

/** Status codes that have a name; those without an entry in `responseSchema` may carry any body. */
type NamedStatus =
  | 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226 | 300 | 301 | 302 | 303 | 304 | 307 | 308
  | 400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417 | 418 | 421
  | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451 | 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511;

type Declared<R> = {
  [S in keyof R & number]: { readonly status: S; readonly body: InputOf<R[S]>; readonly headers?: ResponseHeaders | undefined }
}[keyof R & number];

type HttpResultOf<T> = T extends { readonly responseSchema: infer R }
  ? (R extends object ? Declared<R> | HttpResponse<Exclude<NamedStatus, keyof R>> : HttpResponse)
  : HttpResponse;

/** What the handler of a config may return; `unknown` when no trigger is http, for then nobody looks. */
export type StepResult<C extends StepConfig> =
  [TriggerOfKind<C, 'http'>] extends [never] ? unknown
    : (TriggerOfKind<C, 'http'> extends infer T ? (T extends unknown ? HttpResultOf<T> : never) : never)
      | StreamedResponse | ResponseLike | RawBody | undefined | void;
