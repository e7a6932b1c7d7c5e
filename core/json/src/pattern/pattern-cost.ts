import type { CharacterSet } from './character-set.js';
import { isAnchored, longestOf } from './pattern-shape.js';
import type { PatternNode, PatternTree } from './pattern-tree.js';

/** Longest match of a pattern without loops that may begin anywhere. */
const MAX_UNANCHORED = 256;
/** Steps that a backtracking engine may take for one text: well below a millisecond. */
const MAX_STEPS = 50_000;
/** Of a text so short no pattern that people write makes a backtracking engine take long. */
const ALWAYS_SHORT = 10;

/** What may be read at some place: the sets of what is there, and whether all of it may be left out. */
interface First {
  readonly sets: readonly CharacterSet[];
  readonly empty: boolean;
}

/**
 * Longest text on which a backtracking engine such as RegExp finds its answer in few steps: `Infinity` when it never has to
 * choose blindly, less when loops may share their text in several ways, and very little when a loop may do so with itself.
 */
export function backtrackingLimit({ root, hasReferences }: PatternTree): number {
  if (hasReferences) return ALWAYS_SHORT;
  const judge = new CostJudge();
  const ways = judge.ways(root, [], false);
  const longest = longestOf(root);
  if (judge.explosive || ways * Math.min(longest, MAX_UNANCHORED) > MAX_STEPS) return ALWAYS_SHORT;
  const degree = judge.openLoops + (!isAnchored(root) && longest > MAX_UNANCHORED ? 1 : 0);
  return degree === 0 ? Infinity : Math.max(ALWAYS_SHORT, Math.floor(MAX_STEPS ** (1 / (degree + 1))));
}

/**
 * Looks at each place where a backtracking engine chooses (the end of a loop, the options of a choice): what the next
 * character decides costs nothing. It errs on the side of caution.
 */
class CostJudge {
  /** Loops that may end in several places. */
  openLoops = 0;
  /** Some loop may read a text in several ways, and so doubles them with each turn. */
  explosive = false;

  /** In how many ways at most one text may be read, open loops aside. `follow`: what may come after; `looped`: it is inside a loop. */
  ways(node: PatternNode, follow: readonly CharacterSet[], looped: boolean): number {
    switch (node.kind) {
      case 'sequence': return this.sequence(node.parts, follow, looped);
      case 'choice': return this.choice(node.options, follow, looped);
      case 'repeat': return this.repeat(node, follow, looped);
      case 'group': return this.ways(node.body, follow, looped);
      case 'look': return this.look(node, looped);
      default: return 1;
    }
  }

  private sequence(parts: readonly PatternNode[], follow: readonly CharacterSet[], looped: boolean): number {
    let after = follow;
    let ways = 1;
    for (const part of [...parts].reverse()) {
      ways *= this.ways(part, after, looped);
      const first = firstOf(part);
      after = first.empty ? [...first.sets, ...after] : first.sets;
    }
    return ways;
  }

  private choice(options: readonly PatternNode[], follow: readonly CharacterSet[], looped: boolean): number {
    const firsts = options.map((option) => {
      const { sets, empty } = firstOf(option);
      return empty ? [...sets, ...follow] : sets;
    });
    const each = options.map((option) => this.ways(option, follow, looped));
    if (!firsts.some((sets, index) => firsts.slice(index + 1).some((others) => overlap(sets, others)))) return Math.max(...each);
    return this.chosen(each.reduce((sum, ways) => sum + ways, 0), looped);
  }

  private repeat(node: Extract<PatternNode, { kind: 'repeat' }>, follow: readonly CharacterSet[], looped: boolean): number {
    const { body, min, max } = node;
    const first = firstOf(body);
    const endless = max === Infinity;
    // What may be empty may be so any number of times.
    if (max > 1 && first.empty && first.sets.length > 0) this.explosive = true;
    const ends = max > min && overlap(first.sets, follow);
    if (ends && endless && !looped) this.openLoops++;
    const turn = this.ways(body, max > 1 ? [...first.sets, ...follow] : follow, looped || endless);
    const all = endless ? turn : turn ** max;
    return ends && (looped || !endless) ? this.chosen(all * (endless ? 2 : max - min + 1), looped) : all;
  }

  private look({ body, ahead }: Extract<PatternNode, { kind: 'look' }>, looped: boolean): number {
    const far = longestOf(body) > MAX_UNANCHORED;
    // Inside a loop it may look far ahead again and again.
    if (far && looped) this.openLoops++;
    // One that looks back is matched from its end, which this walk does not follow.
    if (far && !ahead) this.explosive = true;
    return this.ways(body, [], looped);
  }

  /** In a loop the ways of all turns multiply. */
  private chosen(ways: number, looped: boolean): number {
    if (looped) this.explosive = true;
    return ways;
  }
}

const overlap = (sets: readonly CharacterSet[], others: readonly CharacterSet[]): boolean => sets.some((set) => others.some((other) => set.overlaps(other)));

function firstOf(node: PatternNode): First {
  switch (node.kind) {
    case 'set': return { sets: [node.set], empty: false };
    // Nothing can be read after the end.
    case 'edge': return { sets: [], empty: node.edge !== 'end' };
    case 'look': case 'reference': return { sets: [], empty: true };
    case 'group': return firstOf(node.body);
    case 'repeat': {
      const { sets, empty } = firstOf(node.body);
      return { sets: node.max === 0 ? [] : sets, empty: empty || node.min === 0 };
    }
    case 'choice': {
      const firsts = node.options.map(firstOf);
      return { sets: firsts.flatMap(({ sets }) => sets), empty: firsts.some(({ empty }) => empty) };
    }
    case 'sequence': return firstOfSequence(node.parts);
  }
}

function firstOfSequence(parts: readonly PatternNode[]): First {
  const sets: CharacterSet[] = [];
  for (const part of parts) {
    const first = firstOf(part);
    sets.push(...first.sets);
    if (!first.empty) return { sets, empty: false };
  }
  return { sets, empty: true };
}
