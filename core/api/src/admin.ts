import type { PluginViews } from './console-views.js';
import type { InstanceId, RuntimeStatus } from './instance.js';
import { token } from './token.js';
import type { Unsubscribe } from './unsubscribe.js';

/** Request to an admin route of a module. */
export interface AdminRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Name of who asks, as the audit has it; absent when a module of the engine does. */
  readonly caller?: string | undefined;
  /** The header `If-Match` as it came. */
  readonly ifMatch?: string | undefined;
}

/** Who may ask: those who may look, who may change something, or who also back up. Each includes the ones before. */
export type AdminAccess = 'viewer' | 'operator' | 'admin';

/** Adds a route. `access`: by default `viewer` for what only reads and `operator` for the rest. */
// eslint-disable-next-line max-params -- as it is written in modules
export type AddAdminRoute<H> = (path: string, handle: H, takes?: readonly string[], summary?: string, access?: AdminAccess) => void;

/**
 * Adds routes below `/api/v1/modules/<class id>`; they are served when a console module is loaded. `takes` names the
 * arguments of a route, those of its query or, where something is changed, those of its body: any other is refused
 * with 400 `invalid_argument`. Without `takes` the route sees to that itself. `summary` is one line for the index and the
 * OpenAPI document. One grammar for all: a list is `{items}`, with a `cursor` while there are more; a time is ISO 8601, a
 * duration a number under a name that ends in `Ms`; an argument that cannot be is 400 `invalid_argument`.
 */
export interface AdminRoutes {
  readonly get: AddAdminRoute<AdminHandle>;
  readonly post: AddAdminRoute<AdminHandle>;
  readonly put: AddAdminRoute<AdminHandle>;
  readonly delete: AddAdminRoute<AdminHandle>;
  /** A GET that stays open and answers with server-sent events, from `open` until the client leaves. */
  readonly events: AddAdminRoute<(request: AdminRequest, send: AdminEventSink) => Unsubscribe>;
}

/** Answers a request to an admin route; what it gives becomes JSON. */
export type AdminHandle = (request: AdminRequest) => Promise<unknown>;

/** Sends one event to the client, as JSON. An event `{dropped}` stands for so many that the route has left out: who leaves it out in turn counts them. */
export type AdminEventSink = (event: unknown) => void;

/** Refusal of an admin request, with the status that the client gets. `code` as in HTTP error bodies, e.g. `not_found`. */
export class AdminError extends Error {
  /** @param at characters of a query that are wrong, `to` excluded */
  constructor(readonly status: 400 | 404 | 409 | 412 | 422 | 503, readonly code: string, message: string, readonly at?: { readonly from: number; readonly to: number }) {
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
  /** Absent: by its method. */
  readonly access?: AdminAccess | undefined;
  /** `send` only with `EVENTS`, whose promise gives an `Unsubscribe`. */
  readonly handle: (request: AdminRequest, send?: AdminEventSink) => Promise<unknown>;
}

/** How a module or adapter is. */
export interface InstanceStatus {
  readonly instance: InstanceId;
  readonly status: RuntimeStatus | 'stopping' | 'stopped';
  readonly message?: string | undefined;
  /** What an adapter declares for its config, e.g. `{ durable: false }`. */
  readonly capabilities?: unknown;
}

/** What of the running engine the module that serves the admin API shows. */
export interface AdminCatalog {
  /** The admin routes of all running modules. */
  routes(): readonly AdminRoute[];
  /** Modules and adapters in the order of their start, each module before its adapters. */
  instances(): readonly InstanceStatus[];
  /** Announced ports and sockets by name, e.g. `http` → `http://127.0.0.1:3111`. */
  addresses(): ReadonlyMap<string, string>;
  /** Views of the console that plugins bring, in the order of `plugins:`. */
  views(): readonly PluginViews[];
}
export const AdminCatalog = token<AdminCatalog>('engine.AdminCatalog');
