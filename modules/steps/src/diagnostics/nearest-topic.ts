import { editDistance } from '@treadle/api';

/**
 * The topic that was probably meant, or undefined. Topics are compared word by word, in any order and however the words are joined, so
 * that `ticketCreated`, `created.ticket` and `tickets.craeted` find `ticket.created`, and `ticket.closed` does not. Of equally near
 * ones the first of `likely` wins, then of `others`.
 */
export function nearestTopic(topic: string, likely: readonly string[], others: readonly string[]): string | undefined {
  const words = wordsOf(topic);
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of [...likely, ...others]) {
    const distance = candidate === topic ? Infinity : distanceOf(words, wordsOf(candidate));
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** One word more or less costs as much as two letters, and needs two others to hold on to. */
const MISSING_WORD = 2;

/** Letters by which the topics differ; infinite when they are not the same one misspelt. */
function distanceOf(a: readonly string[], b: readonly string[]): number {
  const [shorter, longer] = a.length <= b.length ? [a, [...b]] : [b, [...a]];
  const missing = longer.length - shorter.length;
  if (joinedAlike(a, b)) return missing === 0 ? 0 : 1;
  if (missing > 1 || (missing === 1 && shorter.length < 2)) return Infinity;
  let sum = missing * MISSING_WORD;
  for (const word of shorter) {
    const distances = longer.map((other) => wordDistance(word, other));
    const nearest = Math.min(...distances);
    if (nearest === Infinity) return Infinity;
    sum += nearest;
    longer.splice(distances.indexOf(nearest), 1);
  }
  return sum;
}

/** `ticket-created` and `ticketcreated`. */
function joinedAlike(a: readonly string[], b: readonly string[]): boolean {
  return a.join('') === b.join('');
}

/** Infinite when they are two words rather than one misspelt. */
function wordDistance(a: string, b: string): number {
  const distance = editDistance(a, b);
  return distance <= Math.floor((Math.max(a.length, b.length) + 1) / 4) ? distance : Infinity;
}

function wordsOf(topic: string): readonly string[] {
  return topic.replace(/([a-z0-9])([A-Z])/g, '$1.$2').toLowerCase().split(/[^a-z0-9]+/).filter((word) => word !== '');
}
