import type { RunContext } from './context.js';
import type { HttpRequest } from './input.js';
import type { ResponseHeaders } from './response-headers.js';

declare const ADDS: unique symbol;

/** What `next()` resolves to: what the handler returned, where that is the usual object; undefined when it returned nothing. */
export interface Passed<Added extends object = {}> {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: ResponseHeaders | undefined;
  /** Never there; tells the types what the context got. */
  readonly [ADDS]?: Added;
}

/**
 * Goes on with validation, condition and handler, and resolves to what the handler returned. The members of `added` are members of the context from
 * then on. It rejects when the request does not fit the trigger's schemas.
 */
export type Next = <Added extends object = {}>(added?: Added & { readonly [Name in keyof RunContext]?: never }) => Promise<Passed<Added> | undefined>;

/** `next` of a middleware that says beforehand what it adds. */
type NextOf<Added extends object> = {} extends Added ? Next : (added: Added) => Promise<Passed<Added> | undefined>;

/** Declared as methods: whoever annotates the parameters more closely may do so. */
interface Written<N> {
  run(request: HttpRequest, ctx: RunContext, next: N): unknown;
}

/**
 * `(req, ctx, next) => result`, around validation, condition and handler. What the request holds has not been validated yet. `Added` is what it hands to
 * `next()`: `Middleware<{ auth: User }>` gives handlers a `ctx.auth`.
 */
export type Middleware<Added extends object = {}> = Written<NextOf<Added>>['run'] & { readonly [ADDS]?: Added };

/** Middleware that only valid requests get to. */
export interface LaterMiddleware<M = AnyMiddleware> {
  readonly run: M;
  readonly after: 'validation';
}

/** What a `*.middleware.ts` may export as `config`. */
export interface MiddlewareConfig {
  /** Holds for the routes at and below these paths, by whole segments, wherever their Steps are; `/` is all of them. Default: the Steps in the file's folder and below. */
  readonly path?: string | readonly string[] | undefined;
  /** Only valid requests get to it. */
  readonly after?: 'validation' | undefined;
}

/** Middleware in a config; a function written there says by what it returns what it adds. */
export type AnyMiddleware = Written<Next>['run'];

/** The members that a middleware adds, by what it returns: it returns what `next({ … })` gave. */
export type AddedBy<Result> = Awaited<Result> extends infer Passes
  ? [Passes extends unknown ? Brand<Passes> : never] extends [infer Added] ? ([Added] extends [never] ? {} : Added) : never
  : never;

type Brand<T> = typeof ADDS extends keyof T ? Exclude<T[typeof ADDS & keyof T], undefined> : never;

/**
 * Types a middleware by what it hands to `next()`, so that handlers behind it know these members of the context:
 * `middleware(async (req, ctx, next) => next({ auth: await whoIs(req) }))`. It has to return what `next()` gave, or a copy.
 */
export function middleware<Result>(run: (request: HttpRequest, ctx: RunContext, next: Next) => Result): Middleware<AddedBy<Result> & object> {
  return run as Middleware<AddedBy<Result> & object>;
}

/** What one middleware of a config adds. */
export type AddedOf<M> = M extends LaterMiddleware<infer Run> ? AddedOf<Run>
  : typeof ADDS extends keyof M ? Exclude<M[typeof ADDS & keyof M], undefined>
  : M extends (...given: never[]) => infer Result ? AddedBy<Result>
  : {};
