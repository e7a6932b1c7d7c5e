import type { CharacterSet } from './character-set.js';

const PAGE = 256;
/** Class of the page's characters that nobody has asked for yet. */
const UNKNOWN = 0xffff;

/**
 * Numbers of the classes of characters that a pattern does not tell apart. A class is worked out when its first character
 * is seen and remembered by pages of characters: at most 2 MB for all of Unicode.
 */
export class CharacterClasses {
  private readonly pages: (Uint16Array | undefined)[] = [];
  private readonly bySignature = new Map<string, number>();
  /** By class: which of the sets have it. */
  private readonly members: boolean[][] = [];

  constructor(private readonly sets: readonly CharacterSet[]) {}

  classOf(codePoint: number): number {
    const page = this.pages[codePoint >>> 8] ??= new Uint16Array(PAGE).fill(UNKNOWN);
    const known = page[codePoint & 0xff] as number;
    return known === UNKNOWN ? (page[codePoint & 0xff] = this.find(codePoint)) : known;
  }

  /** Whether the characters of a class are in a set. */
  isIn(characterClass: number, set: number): boolean {
    return this.members[characterClass]?.[set] === true;
  }

  private find(codePoint: number): number {
    const member = this.sets.map((set) => set.has(codePoint));
    const signature = member.map(Number).join('');
    const known = this.bySignature.get(signature);
    if (known !== undefined) return known;
    this.bySignature.set(signature, this.members.length);
    return this.members.push(member) - 1;
  }
}
