import type { IncomingMessage, ServerResponse } from 'node:http';

/** The part of a Koa context that is used here; Koa brings no types of its own. */
export interface KoaContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly path: string;
  status: number;
  body: unknown;
  /** False: somebody writes to `res` directly. */
  respond: boolean;
  set(name: string, value: string): void;
  append(name: string, value: string): void;
}

export type KoaNext = () => Promise<unknown>;
export type Middleware = (context: KoaContext, next: KoaNext) => unknown;

export interface KoaApplication {
  silent: boolean;
  use(middleware: Middleware): KoaApplication;
  on(event: 'error', listener: (error: unknown) => void): KoaApplication;
  callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}
export type KoaConstructor = new () => KoaApplication;

export interface KoaRouter {
  register(path: string, methods: readonly string[], middleware: Middleware): unknown;
  routes(): Middleware;
}
export type KoaRouterConstructor = new () => KoaRouter;
