/** Longest word that is compared; configuration names are far shorter. */
const MAX_LENGTH = 100;

/** Shortest word that is taken for the beginning of another. */
const MIN_BEGINNING = 3;

/**
 * The candidate that a misspelt word most likely meant, for "did you mean"; undefined when none is close. Close is: at
 * most one edit per three letters, swapped neighbours counting as one; else the only one that it begins, or that begins it.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best ?? onlyBeginning(word.toLowerCase(), candidates);
}

function onlyBeginning(word: string, candidates: readonly string[]): string | undefined {
  const related = candidates.filter((candidate) => {
    const shorter = Math.min(candidate.length, word.length);
    return shorter >= MIN_BEGINNING && candidate.toLowerCase().slice(0, shorter) === word.slice(0, shorter);
  });
  return related.length === 1 ? related[0] : undefined;
}

/** Insertions, deletions, replacements and swaps of neighbours between two words (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, at(beforeLast, j - 2) + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

const at = (row: readonly number[], index: number): number => row[index] as number;
