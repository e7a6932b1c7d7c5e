import { inverse, type Range, rangesOfEscape } from './character-set.js';

/** Where in a pattern a character or a class is read. */
export interface ClassReader {
  readonly source: string;
  readonly unicode: boolean;
  at: number;
  sees(text: string): boolean;
  take(text: string): boolean;
}

type Ranges = readonly Range[] | undefined;

const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };

/** The rest of `[…]` after its bracket; undefined when only the platform's tables tell which characters it has. */
export function readClass(reader: ClassReader): Ranges {
  const negated = reader.take('^');
  const ranges: Range[] = [];
  let known = true;
  while (!reader.take(']')) {
    const item = readItem(reader);
    if (item) ranges.push(...item);
    else known = false;
  }
  if (!known) return undefined;
  return negated ? inverse(ranges) : ranges;
}

/** A character, an escape or a range of a class. */
function readItem(reader: ClassReader): Ranges {
  const first = readEscape(reader);
  const single = first?.length === 1 && first[0]?.[0] === first[0]?.[1];
  if (!single || !reader.sees('-') || reader.source[reader.at + 1] === ']') return first;
  reader.at++;
  const last = readEscape(reader);
  return last && [[first[0]?.[0] as number, last[0]?.[1] as number]];
}

/** One character as it is written, escaped or not, or a set such as `\d`. */
export function readEscape(reader: ClassReader): Ranges {
  if (!reader.take('\\')) return one(readCharacter(reader));
  const letter = readCharacter(reader);
  const name = String.fromCodePoint(letter);
  if (name === 'p' || name === 'P') return skipProperty(reader);
  const control = CONTROLS[name];
  if (control !== undefined) return one(control);
  if (name === 'b') return one(8);
  if (name === 'c') return one(readCharacter(reader) % 32);
  if (name === 'x') return one(readHex(reader, 2));
  return name === 'u' ? one(readUnicode(reader)) : rangesOfEscape(name) ?? one(letter);
}

const one = (codePoint: number): readonly Range[] => [[codePoint, codePoint]];

function readCharacter(reader: ClassReader): number {
  const found = reader.unicode ? reader.source.codePointAt(reader.at) : reader.source.charCodeAt(reader.at);
  const codePoint = found ?? 0;
  reader.at += codePoint > 0xffff ? 2 : 1;
  return codePoint;
}

function skipProperty(reader: ClassReader): undefined {
  if (reader.sees('{')) reader.at = reader.source.indexOf('}', reader.at) + 1;
}

function readHex(reader: ClassReader, digits: number): number {
  const text = reader.source.slice(reader.at, reader.at + digits);
  reader.at += digits;
  return Number.parseInt(text, 16);
}

/** `\u{…}`, `\uD83D\uDE00`, which is one character under the flag `u`, or four digits. */
function readUnicode(reader: ClassReader): number {
  if (reader.take('{')) {
    const digits = reader.source.indexOf('}', reader.at) - reader.at;
    const codePoint = readHex(reader, digits);
    reader.at++;
    return codePoint;
  }
  const high = readHex(reader, 4);
  const low = /^\\u(d[c-f][\da-f]{2})/i.exec(reader.source.slice(reader.at, reader.at + 6));
  if (!reader.unicode || high < 0xd800 || high > 0xdbff || !low) return high;
  reader.at += 6;
  return 0x10000 + (high - 0xd800) * 0x400 + Number.parseInt(low[1] as string, 16) - 0xdc00;
}
