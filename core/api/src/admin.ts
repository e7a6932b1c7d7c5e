import type { InstanceId, RuntimeStatus } from './lifecycle.js';
import type { Unsubscribe } from './step-hub.js';
import { token } from './token.js';

/** Request to an admin route of a module. */
export interface AdminRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * Adds routes below `/api/v1/modules/<class id>`; they are served when a console module is loaded. `takes` names the
 * arguments of a route, those of its query or, where something is changed, those of its body: any other is refused
 * with 400 `invalid_argument`. Without `takes` the route sees to that itself. `summary` is one line for the index and the
 * OpenAPI document. One grammar for all: a list is `{items}`, with a `cursor` while there are more; a time is ISO 8601, a
 * duration a number under a name that ends in `Ms`; an argument that cannot be is 400 `invalid_argument`.
 */
export interface AdminRoutes {
  get(path: string, handle: AdminHandle, takes?: readonly string[], summary?: string): void;
  post(path: string, handle: AdminHandle, takes?: readonly string[], summary?: string): void;
  put(path: string, handle: AdminHandle, takes?: readonly string[], summary?: string): void;
  delete(path: string, handle: AdminHandle, takes?: readonly string[], summary?: string): void;
  /** A GET that stays open and answers with server-sent events, from `open` until the client leaves. */
  events(path: string, open: (request: AdminRequest, send: AdminEventSink) => Unsubscribe, takes?: readonly string[], summary?: string): void;
}

/** Answers a request to an admin route; what it gives becomes JSON. */
export type AdminHandle = (request: AdminRequest) => Promise<unknown>;

/** Sends one event to the client, as JSON. */
export type AdminEventSink = (event: unknown) => void;

/** Refusal of an admin request, with the status that the client gets. `code` as in HTTP error bodies, e.g. `not_found`. */
export class AdminError extends Error {
  constructor(readonly status: 400 | 404 | 409 | 422 | 503, readonly code: string, message: string) {
    super(message);
    this.name = 'AdminError';
  }
}

/** What a route answers with when it is no JSON. */
export class AdminText {
  constructor(readonly contentType: string, readonly text: string) {}
}

/** What a route answers with piece by piece: a piece is made when the client has taken what came before. */
export class AdminStream {
  /** @param file name under which a browser keeps it; such an answer is compressed for who accepts that. */
  constructor(readonly contentType: string, readonly pieces: Iterable<string | Uint8Array>, readonly file?: string) {}
}

/** A route as a module added it. */
export interface AdminRoute {
  /** Id of the instance. */
  readonly instance: string;
  readonly classId: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'EVENTS';
  /** Below `/api/v1/modules/<class id>`. */
  readonly path: string;
  /** Names of its arguments: of the query, or of the body where something is changed. */
  readonly takes?: readonly string[] | undefined;
  readonly summary?: string | undefined;
  /** `send` only with `EVENTS`, whose promise gives an `Unsubscribe`. */
  readonly handle: (request: AdminRequest, send?: AdminEventSink) => Promise<unknown>;
}

/** How a module or adapter is. */
export interface InstanceStatus {
  readonly instance: InstanceId;
  readonly status: RuntimeStatus | 'stopping' | 'stopped';
  readonly message?: string | undefined;
}

/** What of the running engine the module that serves the admin API shows. */
export interface AdminCatalog {
  /** The admin routes of all running modules. */
  routes(): readonly AdminRoute[];
  /** Modules and adapters in the order of their start, each module before its adapters. */
  instances(): readonly InstanceStatus[];
  /** Announced ports and sockets by name, e.g. `http` → `http://127.0.0.1:3111`. */
  addresses(): ReadonlyMap<string, string>;
}
export const AdminCatalog = token<AdminCatalog>('engine.AdminCatalog');
