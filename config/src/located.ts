import type { SourceLocation, TreadleError } from '@treadle/api';

/** A value of the file with its place; what every stage from parsing to validation works on. */
export type Located = LocatedScalar | LocatedMap | LocatedList;

/** A single value. `value` is resolved by YAML's core schema, later replaced by `interpolate`. */
export interface LocatedScalar {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  readonly at: SourceLocation;
  /** Written without quotes. */
  readonly plain: boolean;
  /** As written, when `value` is not text: `0123` is the number 123. */
  readonly text?: string;
  /** Set by `interpolate` when the text held a placeholder. */
  readonly interpolated?: Interpolated;
}

/** Which variables made a value. */
export interface Interpolated {
  /** In the order of the text. */
  readonly variables: readonly string[];
  /** No variable was set: every placeholder fell back to its default. */
  readonly fromDefault: boolean;
  /** The scalar was exactly one placeholder, so the schema decides its type. */
  readonly whole: boolean;
  /** A variable's name says that its value is a secret. */
  readonly secret?: boolean;
  /** A variable is not set and has no default, which is reported; checks leave the value alone. */
  readonly missing?: boolean;
}

/** A mapping; keys are data, so `__proto__` is a key like any other. */
export interface LocatedMap {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, LocatedEntry>;
  readonly at: SourceLocation;
}

/** One key of a mapping. */
export interface LocatedEntry {
  readonly keyAt: SourceLocation;
  readonly value: Located;
}

/** A sequence. */
export interface LocatedList {
  readonly kind: 'list';
  readonly items: readonly Located[];
  readonly at: SourceLocation;
}

/** A stage's result with everything found wrong on the way: errors and warnings, collected, never thrown. */
export interface Outcome<T> {
  readonly value: T;
  readonly issues: readonly TreadleError[];
}

/** Issues that one stage reports of one file or config; what comes after them says nothing new. */
export const MAX_ISSUES = 1000;

const SIMPLE_KEY = /^[A-Za-z_][\w-]*$/;

/** Path of a key below `path`: `modules[0].config.port`; a key that would read ambiguously is put in brackets and quotes. */
export function keyPath(path: string, key: string): string {
  if (!SIMPLE_KEY.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** Path of a list item below `path`: `modules[0]`. */
export function itemPath(path: string, index: number): string {
  return `${path}[${index}]`;
}
