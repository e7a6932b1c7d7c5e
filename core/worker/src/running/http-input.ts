import type { HttpInput as WireInput } from '@treadle/protocol';
import { parseCookies, type UploadedFile } from 'treadle';

type Strings = Record<string, string>;
type Lists = Record<string, readonly string[]>;

/**
 * First argument of a handler that an http trigger started. Plain members are own and enumerable, so that logging, JSON
 * and structuredClone see a plain request; the rarely used views are made when asked for.
 */
export class HttpInput {
  body: unknown;
  pathParams: unknown;
  queryParams: unknown;
  query: unknown;
  headers: unknown;
  method: string;
  path: string;
  declare rawBody?: Buffer;
  declare files?: readonly UploadedFile[];
  readonly #wire: WireInput;

  /** `coerced`: the query went through a querySchema and is taken as it is. */
  constructor(wire: WireInput, body: unknown, coerced: boolean) {
    this.body = body;
    this.pathParams = wire.pathParams ?? {};
    const query = coerced ? wire.query ?? {} : lastValues(wire.query);
    this.queryParams = query;
    this.query = query;
    this.headers = wire.headers;
    this.method = wire.method;
    this.path = wire.path;
    this.#wire = wire;
  }

  /** All values of each query parameter. */
  get queryAll(): Lists {
    return toLists(this.#wire.query);
  }

  /** All values of each header. */
  get headersAll(): Lists {
    return { ...toLists(this.#wire.headers), ...this.#wire.headersAll };
  }

  /** Address of the client; empty when it is not known. */
  get ip(): string {
    return this.#wire.ip ?? '';
  }

  /** Cookies by name. */
  get cookies(): Strings {
    return parseCookies(this.#wire.headers['cookie']);
  }

  /** The input itself, for handlers that read `input.request.body`. On the prototype, so no copy contains itself. */
  get request(): this {
    return this;
  }
}

/** A name that was repeated keeps its last value. */
function lastValues(query: unknown): Strings {
  if (query === undefined || query === null) return {};
  const values = query as Record<string, string | readonly string[]>;
  let copy: Record<string, string | readonly string[]> | undefined;
  for (const name in values) {
    const value = values[name];
    if (typeof value === 'string' || !Array.isArray(value)) continue;
    // A spread defines members; assignment to the copy's own `__proto__` then stays data.
    copy ??= { ...values };
    copy[name] = (value as readonly string[])[value.length - 1] ?? '';
  }
  return (copy ?? values) as Strings;
}

function toLists(values: unknown): Lists {
  const entries = Object.entries((values ?? {}) as Record<string, unknown>);
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : [String(value)]]));
}
