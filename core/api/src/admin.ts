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
