import type { IncomingMessage, ServerResponse } from 'node:http';
import { manyToken, token } from '../token.js';

/** Koa middleware, typed by shape so that Koa's types stay out of the api. */
export type KoaMiddleware = (context: unknown, next: () => Promise<unknown>) => unknown;

/** Koa middleware that runs in the engine around everything below a path prefix, Step routes included. */
export interface HttpMiddleware {
  /** `/` or `/segments`, matched by whole segments. */
  readonly prefix: string;
  readonly middleware: KoaMiddleware;
}
export const HttpMiddleware = manyToken<HttpMiddleware>('engine.HttpMiddleware');

export interface HttpPort {
  /** Where the server listens, e.g. `http://127.0.0.1:3111`; undefined before start. */
  readonly address: string | undefined;
  /** Adds an engine route. No Step can shadow it. */
  route(method: string, path: string, handle: (request: IncomingMessage, response: ServerResponse) => void): void;
}
export const HttpPort = token<HttpPort>('engine.HttpPort');
