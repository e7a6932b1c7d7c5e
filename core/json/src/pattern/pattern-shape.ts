import type { PatternNode } from './pattern-tree.js';

/** Whether every match begins where the text does. */
export function isAnchored(node: PatternNode): boolean {
  switch (node.kind) {
    case 'edge': return node.edge === 'start';
    case 'sequence': return node.parts.some((part, index) => isAnchored(part) && node.parts.slice(0, index).every(readsNothing));
    case 'choice': return node.options.every(isAnchored);
    case 'group': return isAnchored(node.body);
    default: return false;
  }
}

const readsNothing = ({ kind }: PatternNode): boolean => kind === 'edge' || kind === 'look';

/** Whether some part of a pattern, at any depth, is of a kind. */
export function hasPart(node: PatternNode, matches: (part: PatternNode) => boolean): boolean {
  if (matches(node)) return true;
  switch (node.kind) {
    case 'sequence': return node.parts.some((part) => hasPart(part, matches));
    case 'choice': return node.options.some((option) => hasPart(option, matches));
    case 'repeat': case 'look': case 'group': return hasPart(node.body, matches);
    default: return false;
  }
}

/** Whether it is a `\b` or `\B`. */
export const isWordEdge = (node: PatternNode): boolean => node.kind === 'edge' && (node.edge === 'boundary' || node.edge === 'inside');

/** Characters of the longest match. */
export function longestOf(node: PatternNode): number {
  switch (node.kind) {
    case 'set': return 1;
    case 'edge': case 'look': return 0;
    case 'reference': return Infinity;
    case 'group': return longestOf(node.body);
    case 'choice': return Math.max(...node.options.map(longestOf));
    case 'sequence': return node.parts.reduce((sum, part) => sum + longestOf(part), 0);
    case 'repeat': {
      const body = longestOf(node.body);
      return body === 0 || node.max === 0 ? 0 : body * node.max;
    }
  }
}
