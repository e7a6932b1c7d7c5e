import type { Unsubscribe } from '../unsubscribe.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
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

/** Takes a connection over whose request asks for WebSocket: answers it, and listens to its errors from then on. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface HttpPort {
  /** Where the server listens, e.g. `http://127.0.0.1:3111`; undefined before start. */
  readonly address: string | undefined;
  /** Adds an engine route. No Step can shadow it. */
  route(method: string, path: string, handle: (request: IncomingMessage, response: ServerResponse) => void): void;
  /** Hands connections that ask for WebSocket at exactly this path over, also while it runs; the latest handler of a path holds. */
  upgrade(path: string, handle: UpgradeHandler): Unsubscribe;
  /** Who has sent a request, behind the proxies that are trusted: also one that came to a port of another module. Empty when its connection is gone. */
  clientAddress(request: IncomingMessage): string;
}
export const HttpPort = token<HttpPort>('engine.HttpPort');
