/**
 * Typed name of something that modules give each other. Two copies of a package that declare the same id share the
 * key (`Symbol.for`), so a token may be declared again by a third party.
 */
export interface Token<T> {
  readonly id: string;
  readonly key: symbol;
  /** True: any number of providers, injected as a frozen array in start order. */
  readonly many: boolean;
  /** Never present; carries the type. */
  readonly _type?: T;
}

/** Declares a port with exactly one provider per engine. */
export function token<T>(id: string): Token<T> {
  return Object.freeze({ id, key: Symbol.for(`treadle.token.${id}`), many: false });
}

/** Declares a port with any number of providers. */
export function manyToken<T>(id: string): Token<readonly T[]> {
  return Object.freeze({ id, key: Symbol.for(`treadle.token.${id}`), many: true });
}

/** What `ports()` returns: a token and the value that a module provides for it. */
export interface Binding {
  readonly token: Token<unknown>;
  readonly value: unknown;
}

/** Pairs a token with its value, checked by type. For a `manyToken` the value is one element. */
export function bind<T>(to: Token<T>, value: T extends readonly (infer E)[] ? E | T : T): Binding {
  return { token: to, value };
}
