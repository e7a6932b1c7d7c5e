import type { Located } from '../located.js';
import { SyntaxProblem } from './syntax-problem.js';

/** A finished node with what an alias to it costs. */
export interface Measured {
  readonly node: Located;
  /** Nodes in it, those behind aliases counted each time. */
  readonly size: number;
  /** Levels of nesting in it; 0 for a scalar. */
  readonly height: number;
}

/** Uses of anchors in one file. */
export const MAX_ALIASES = 100;
/** Values that all aliases of one file may stand for together. */
export const MAX_ALIASED_VALUES = 10_000;

/** The anchors of a file. Aliases are bounded in number and in what they expand to, so a small file stays small. */
export class Anchors {
  private readonly anchors = new Map<string, Measured | undefined>();
  private uses = 0;
  private expanded = 0;

  /** An anchored collection begins: until `define`, an alias to it would be a circle. */
  open(name: string): void {
    this.anchors.set(name, undefined);
  }

  define(name: string, measured: Measured): void {
    this.anchors.set(name, measured);
  }

  /** @throws SyntaxProblem for an unknown or circular alias, and beyond the bounds. */
  use(name: string, offset: number): Measured {
    if (!this.anchors.has(name)) throw new SyntaxProblem(`there is no anchor "&${name}" before this alias`, offset);
    const measured = this.anchors.get(name);
    if (!measured) throw new SyntaxProblem(`the alias "*${name}" is inside its own anchor`, offset);
    this.uses += 1;
    if (this.uses > MAX_ALIASES) throw new SyntaxProblem(`more than ${MAX_ALIASES} aliases in one file`, offset);
    this.expanded += measured.size;
    if (this.expanded > MAX_ALIASED_VALUES) {
      throw new SyntaxProblem(`the aliases stand for more than ${MAX_ALIASED_VALUES} values`, offset);
    }
    return measured;
  }
}
