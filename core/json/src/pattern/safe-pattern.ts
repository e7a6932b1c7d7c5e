import { BacktrackingMatcher } from './backtracking-matcher.js';
import { LinearMatcher } from './linear-matcher.js';
import { charge, meter } from '../work-meter.js';
import { backtrackingLimit } from './pattern-cost.js';
import { parsePattern } from './pattern-parser.js';
import { hasPart } from './pattern-shape.js';
import type { PatternNode } from './pattern-tree.js';

/** A pattern with this limit may double its steps with each character. */
export const EXPLOSIVE_LIMIT = 10;
/** What calling RegExp costs. */
const NATIVE_COST = 4;
/**
 * From here on RegExp gets no pattern with a loop over more than one set of characters: it puts each turn on a stack, 16 MB for 1 MB of text, which malloc
 * keeps. In characters.
 */
const LONG = 64 * 1024;
/** Up to here a power of the length is no danger to the process of a Step. */
const POLYNOMIAL_LENGTH = 256;

interface Matcher {
  test(text: string): boolean;
}

/** How a text is held to a pattern. */
export type PatternRun = 'native' | 'linear' | 'budget';

/**
 * A regular expression of an application, for texts of anybody. RegExp runs it where that takes few steps; a linear engine
 * does where RegExp might take long; and what only RegExp could is tried with a budget.
 */
export class SafePattern {
  /** Longest text that RegExp gets. */
  readonly nativeLimit: number;
  /** Longest text that a Step's own library may hold to the pattern once more. */
  private readonly othersLimit: number;
  private slow: Matcher | undefined;
  /** Of a pattern that RegExp gets whatever the length is: who has long texts in its place. Undefined before the first one, null where there is none. */
  private forLong: Matcher | null | undefined;

  /** @throws SyntaxError when it is no regular expression */
  constructor(readonly native: RegExp) {
    const tree = parsePattern(native);
    this.nativeLimit = tree ? backtrackingLimit(tree) : Infinity;
    this.othersLimit = this.nativeLimit > EXPLOSIVE_LIMIT ? POLYNOMIAL_LENGTH : EXPLOSIVE_LIMIT;
    if (tree && this.nativeLimit < Infinity) this.slow = LinearMatcher.of(tree) ?? new BacktrackingMatcher(tree);
  }

  get run(): PatternRun {
    if (!this.slow) return 'native';
    return this.slow instanceof LinearMatcher ? 'linear' : 'budget';
  }

  /** @throws the meter's signal when the text costs too much */
  test(text: string): boolean {
    if (text.length <= this.nativeLimit || !this.slow) {
      const long = text.length > LONG ? this.matcherOfLong() : null;
      if (long) return long.test(text);
      charge(NATIVE_COST);
      return this.native.test(text);
    }
    const matches = this.slow.test(text);
    if (!matches && text.length > this.othersLimit) meter.explosive = true;
    return matches;
  }

  /** What tells it from others. */
  toString(): string {
    return String(this.native);
  }

  private matcherOfLong(): Matcher | null {
    if (this.forLong === undefined) this.forLong = withoutStack(this.native);
    return this.forLong;
  }
}

function withoutStack(native: RegExp): Matcher | null {
  const tree = parsePattern(native);
  return tree && hasPart(tree.root, isLoopOfSeveral) ? LinearMatcher.of(tree) ?? null : null;
}

const isLoopOfSeveral = (part: PatternNode): boolean => part.kind === 'repeat' && part.max === Infinity && part.body.kind !== 'set';
