import { token } from './token.js';

/** Request to an admin route of a module. */
export interface AdminRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Adds routes below `/api/v1/modules/<class id>`; they are served when a console module is loaded. */
export interface AdminRoutes {
  get(path: string, handle: (request: AdminRequest) => Promise<unknown>): void;
  post(path: string, handle: (request: AdminRequest) => Promise<unknown>): void;
}

/** A route as a module added it. */
export interface AdminRoute {
  /** Id of the instance. */
  readonly instance: string;
  readonly classId: string;
  readonly method: 'GET' | 'POST';
  /** Below `/api/v1/modules/<class id>`. */
  readonly path: string;
  readonly handle: (request: AdminRequest) => Promise<unknown>;
}

/** The admin routes of all running modules, for the module that serves them. */
export interface AdminCatalog {
  routes(): readonly AdminRoute[];
}
export const AdminCatalog = token<AdminCatalog>('engine.AdminCatalog');
