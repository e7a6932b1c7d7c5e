import type { InputOf, OutputOf, Schema } from './schema.js';

/**
 * Data by topic name, for topics that are named by string. `treadle generate types` fills it:
 * `declare module 'treadle' { interface Topics { 'ticket.created': { id: string } } }`.
 */
export interface Topics {}

/** A topic with the schema of its data, usable in `queue()`, `enqueues` and `ctx.enqueue`. */
export interface Topic<Name extends string = string, S extends Schema = Schema> {
  readonly topic: Name;
  readonly schema: S;
  toString(): string;
}

const MARKER = Symbol.for('treadle.topic');

/** Declares a topic and the schema of its data. */
export function topic<const Name extends string, const S extends Schema>(name: Name, schema: S): Topic<Name, S> {
  const value = { topic: name, schema, toString: () => name };
  Object.defineProperty(value, MARKER, { value: true });
  Object.defineProperty(value, 'toString', { enumerable: false });
  return Object.freeze(value);
}

/** True for a value made by `topic()`, also by another copy of this package. */
export function isTopic(value: unknown): value is Topic {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[MARKER] === true;
}

/** Name of a topic given by value or by name. */
export type TopicName<T> = T extends Topic<infer Name> ? Name : T extends string ? T : never;

type Named<Name> = Name extends keyof Topics ? Topics[Name] : unknown;

/** Data that consumers of a topic get. */
export type TopicOutput<T> = T extends Topic<string, infer S> ? OutputOf<S> : Named<T>;

/** Data that may be enqueued to a topic. */
export type TopicInput<T> = T extends Topic<string, infer S> ? InputOf<S> : Named<T>;
