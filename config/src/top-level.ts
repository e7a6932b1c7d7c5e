import type { SourceLocation } from '@treadle/api';
import type { Located, LocatedMap, Outcome } from './located.js';

/** The file's three sections. */
export interface TopLevel {
  readonly modules: readonly ModuleEntry[];
  readonly plugins: readonly PluginEntry[];
  /** The `engine:` node; check it with `ENGINE_SCHEMA`. */
  readonly engine: Located | undefined;
}

/** One item of `plugins:`: a package name or a relative path. */
export interface PluginEntry {
  readonly name: string;
  readonly at: SourceLocation;
}

/** One item of `modules:`. */
export interface ModuleEntry {
  readonly class: string;
  readonly classAt: SourceLocation;
  readonly name?: string;
  /** Default true. */
  readonly enabled: boolean;
  /** A map; absent when nothing is written. */
  readonly config?: LocatedMap;
  readonly at: SourceLocation;
  /** `modules[2]`. */
  readonly path: string;
  readonly index: number;
}

/** The value of a slot. */
export interface AdapterEntry {
  readonly class: string;
  readonly classAt: SourceLocation;
  readonly config?: LocatedMap;
  readonly at: SourceLocation;
  /** e.g. `modules[2].config.adapter`. */
  readonly path: string;
}

/** Checks the shape of the whole file: known sections, entries with a class. Faulty entries are reported and left out. */
export function readTopLevel(_tree: LocatedMap, _file: string): Outcome<TopLevel> {
  return { value: { modules: [], plugins: [], engine: undefined }, issues: [] };
}

/** Checks the shape of one adapter entry `{class, config?}`; undefined when it cannot be used. */
export function readAdapterEntry(_node: Located, _path: string): Outcome<AdapterEntry | undefined> {
  return { value: undefined, issues: [] };
}
