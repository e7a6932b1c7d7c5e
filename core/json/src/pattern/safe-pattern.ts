import { BacktrackingMatcher } from './backtracking-matcher.js';
import { LinearMatcher } from './linear-matcher.js';
import { backtrackingLimit } from './pattern-cost.js';
import { parsePattern } from './pattern-parser.js';

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
  private slow: Matcher | undefined;

  /** @throws SyntaxError when it is no regular expression */
  constructor(readonly native: RegExp) {
    const tree = parsePattern(native);
    this.nativeLimit = tree ? backtrackingLimit(tree) : Infinity;
    if (tree && this.nativeLimit < Infinity) this.slow = LinearMatcher.of(tree) ?? new BacktrackingMatcher(tree);
  }

  get run(): PatternRun {
    if (!this.slow) return 'native';
    return this.slow instanceof LinearMatcher ? 'linear' : 'budget';
  }

  /** @throws the meter's signal when the text costs too much */
  test(text: string): boolean {
    return text.length <= this.nativeLimit || !this.slow ? this.native.test(text) : this.slow.test(text);
  }

  /** What tells it from others. */
  toString(): string {
    return String(this.native);
  }
}
