/** First and last code point. */
export type Range = readonly [from: number, to: number];

const LAST = 0x10ffff;
const DIGITS: readonly Range[] = [[0x30, 0x39]];
const WORD: readonly Range[] = [[0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
const SPACE: readonly Range[] = [
  [0x09, 0x0d], [0x20, 0x20], [0xa0, 0xa0], [0x1680, 0x1680], [0x2000, 0x200a], [0x2028, 0x2029], [0x202f, 0x202f], [0x205f, 0x205f], [0x3000, 0x3000], [0xfeff, 0xfeff],
];
const LINE_ENDS: readonly Range[] = [[0x0a, 0x0a], [0x0d, 0x0d], [0x2028, 0x2029]];

/** Which characters one place of a pattern takes. */
export class CharacterSet {
  private native: RegExp | undefined;

  /**
   * `source`: as the pattern writes it. `ranges`: its code points, or undefined where only the platform's own tables tell
   * (`\p{…}`, the flag `i`): then each character is asked of a RegExp of this place alone.
   */
  constructor(readonly source: string, private readonly flags: string, readonly ranges: readonly Range[] | undefined) {}

  has(codePoint: number): boolean {
    if (this.ranges) return this.ranges.some(([from, to]) => codePoint >= from && codePoint <= to);
    this.native ??= new RegExp(`^(?:${this.source})$`, this.flags);
    return this.native.test(String.fromCodePoint(codePoint));
  }

  /** Whether some character may be in both; true when that is not known. */
  overlaps(other: CharacterSet): boolean {
    const { ranges: others } = other;
    if (!this.ranges || !others) return true;
    return this.ranges.some(([from, to]) => others.some(([start, end]) => from <= end && start <= to));
  }
}

/** Code points of `\d`, `\W` and their like; undefined for a letter that is none of them. */
export function rangesOfEscape(letter: string): readonly Range[] | undefined {
  switch (letter) {
    case 'd': return DIGITS;
    case 'D': return inverse(DIGITS);
    case 'w': return WORD;
    case 'W': return inverse(WORD);
    case 's': return SPACE;
    case 'S': return inverse(SPACE);
    default: return undefined;
  }
}

/** Code points of the dot: all but the ends of lines. */
export const rangesOfDot = (): readonly Range[] => inverse(LINE_ENDS);

/** All other code points. */
export function inverse(ranges: readonly Range[]): readonly Range[] {
  const sorted = [...ranges].sort(([a], [b]) => a - b);
  const others: Range[] = [];
  let next = 0;
  for (const [from, to] of sorted) {
    if (from > next) others.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  if (next <= LAST) others.push([next, LAST]);
  return others;
}

/** Whether `\b` counts it as part of a word. */
export const isWord = (codePoint: number): boolean => WORDS[codePoint] === 1;

const WORDS = Uint8Array.from({ length: 128 }, (_, codePoint) => Number(WORD.some(([from, to]) => codePoint >= from && codePoint <= to)));
