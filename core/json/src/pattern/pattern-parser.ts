import { CharacterSet, rangesOfDot } from './character-set.js';
import { type ClassReader, readClass, readEscape } from './character-reader.js';
import type { PatternNode, PatternTree } from './pattern-tree.js';

const LOOKS: readonly (readonly [text: string, ahead: boolean, negated: boolean])[] = [
  ['(?=', true, false], ['(?!', true, true], ['(?<=', false, false], ['(?<!', false, true],
];

/**
 * Parses a regular expression that RegExp has accepted; undefined when it has something newer than this parser, such as
 * flags inside a group or the flag `v`.
 */
export function parsePattern({ source, flags }: RegExp): PatternTree | undefined {
  if (/[^dgiuy]/.test(flags)) return undefined;
  const parser = new PatternParser(source, flags.replace(/[dgy]/g, ''));
  const root = parser.parse();
  return root && { root, unicode: flags.includes('u'), names: parser.names, hasReferences: parser.hasReferences };
}

class PatternParser implements ClassReader {
  at = 0;
  readonly unicode: boolean;
  readonly names = new Map<string, number>();
  hasReferences = false;
  private groups = 0;
  private known = true;

  constructor(readonly source: string, readonly flags: string) {
    this.unicode = flags.includes('u');
  }

  parse(): PatternNode | undefined {
    const root = this.choice();
    return this.known && this.at === this.source.length ? root : undefined;
  }

  private choice(): PatternNode {
    const options = [this.sequence()];
    while (this.take('|')) options.push(this.sequence());
    return options.length === 1 ? options[0] as PatternNode : { kind: 'choice', options };
  }

  private sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.known && this.at < this.source.length && !this.sees('|') && !this.sees(')')) parts.push(this.repeated(this.term()));
    return parts.length === 1 ? parts[0] as PatternNode : { kind: 'sequence', parts };
  }

  private term(): PatternNode {
    if (this.take('^')) return { kind: 'edge', edge: 'start' };
    if (this.take('$')) return { kind: 'edge', edge: 'end' };
    if (this.take('\\b')) return { kind: 'edge', edge: 'boundary' };
    if (this.take('\\B')) return { kind: 'edge', edge: 'inside' };
    if (this.sees('(')) return this.group();
    return this.reference() ?? { kind: 'set', set: this.set() };
  }

  private set(): CharacterSet {
    const start = this.at;
    const ranges = this.take('.') ? rangesOfDot() : this.take('[') ? readClass(this) : readEscape(this);
    const source = this.source.slice(start, this.at);
    // What the flag `i` takes beside the written letters only the platform's tables tell.
    return new CharacterSet(source, this.flags, this.flags.includes('i') ? undefined : ranges);
  }

  private reference(): PatternNode | undefined {
    const found = /^\\(?:([1-9]\d*)|k<([^>]+)>)/.exec(this.source.slice(this.at, this.at + 200));
    if (!found) return undefined;
    this.at += found[0].length;
    this.hasReferences = true;
    return { kind: 'reference', group: found[1] === undefined ? found[2] as string : Number(found[1]) };
  }

  private group(): PatternNode {
    for (const [text, ahead, negated] of LOOKS) if (this.take(text)) return { kind: 'look', body: this.body(), ahead, negated };
    if (this.take('(?:')) return this.body();
    const index = this.opened();
    return { kind: 'group', index, body: this.body() };
  }

  private opened(): number {
    this.groups++;
    if (this.take('(?<')) {
      const end = this.source.indexOf('>', this.at);
      this.names.set(this.source.slice(this.at, end), this.groups);
      this.at = end + 1;
    } else if (this.sees('(?')) this.known = false;
    else this.at++;
    return this.groups;
  }

  private body(): PatternNode {
    const body = this.choice();
    if (!this.take(')')) this.known = false;
    return body;
  }

  private repeated(body: PatternNode): PatternNode {
    const [min, max] = this.count();
    if (min === 1 && max === 1) return body;
    this.take('?');
    return { kind: 'repeat', body, min, max };
  }

  private count(): readonly [min: number, max: number] {
    if (this.take('*')) return [0, Infinity];
    if (this.take('+')) return [1, Infinity];
    if (this.take('?')) return [0, 1];
    const found = this.sees('{') ? /^\{(\d+)(,?)(\d*)\}/.exec(this.source.slice(this.at, this.at + 60)) : null;
    if (!found) return [1, 1];
    this.at += found[0].length;
    const min = Number(found[1]);
    return [min, found[2] === '' ? min : found[3] === '' ? Infinity : Number(found[3])];
  }

  sees(text: string): boolean {
    return this.source.startsWith(text, this.at);
  }

  take(text: string): boolean {
    if (!this.sees(text)) return false;
    this.at += text.length;
    return true;
  }
}
