import type { CharacterSet } from './character-set.js';

/** What holds between two characters. */
export type Edge = 'start' | 'end' | 'boundary' | 'inside';

/** A regular expression as a tree. Greed is left out: it changes which match is found, never whether there is one. */
export type PatternNode =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly body: PatternNode; readonly min: number; readonly max: number }
  | { readonly kind: 'edge'; readonly edge: Edge }
  | { readonly kind: 'look'; readonly body: PatternNode; readonly ahead: boolean; readonly negated: boolean }
  | { readonly kind: 'group'; readonly body: PatternNode; readonly index: number }
  | { readonly kind: 'reference'; readonly group: number | string };

/** A parsed regular expression. */
export interface PatternTree {
  readonly root: PatternNode;
  /** Text is read by code points, not by UTF-16 units. */
  readonly unicode: boolean;
  /** Numbers of the named groups. */
  readonly names: ReadonlyMap<string, number>;
  /** A part of it repeats what a group has matched. */
  readonly hasReferences: boolean;
}
