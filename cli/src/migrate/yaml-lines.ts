import type { SourceLocation } from '@treadle/api';
import type { TextNote } from './migration.js';

/** Lines from `first` to `last`, both included, from 1. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Changes of a YAML text by lines, so that comments and layout stay. */
export class LineEdits {
  readonly lines: readonly string[];
  readonly notes: TextNote[] = [];
  private readonly removed = new Set<number>();
  private readonly puts: { readonly line: number; readonly column: number; readonly from: string; readonly to: string }[] = [];

  constructor(text: string) {
    this.lines = text.split('\n');
  }

  /** Writes `to` in the place of `from`, which stands at the location or behind its quote. */
  put(at: SourceLocation, from: string, to: string): void {
    this.puts.push({ line: lineOf(at), column: at.column ?? 1, from, to });
  }

  remove({ first, last }: LineRange): void {
    for (let line = first; line <= last; line++) this.removed.add(line);
  }

  note(line: number, reason: string, remedy: string): void {
    this.notes.push({ line, reason, remedy });
  }

  apply(): string {
    const lines = [...this.lines];
    for (const { line, column, from, to } of this.puts.sort((a, b) => b.column - a.column)) {
      const text = lines[line - 1] ?? '';
      const at = text.indexOf(from, column - 1);
      if (at >= 0) lines[line - 1] = text.slice(0, at) + to + text.slice(at + from.length);
    }
    return lines.filter((_, index) => !this.removed.has(index + 1)).join('\n');
  }
}

/** Whether a key, or an item of a list, begins its line, so that its lines are its own. */
export function beginsLine(lines: readonly string[], at: SourceLocation): boolean {
  return /^\s*(?:-\s*\{?\s*)?$/.test((lines[lineOf(at) - 1] ?? '').slice(0, (at.column ?? 1) - 1));
}

/** From 1. */
export function lineOf(at: SourceLocation): number {
  return at.line ?? 1;
}

/** The lines of a key with what is nested below it. */
export function keyBlock(lines: readonly string[], line: number): LineRange {
  const indent = indentOf(lines[line - 1]);
  return { first: line, last: lastBelow(lines, line, (next) => next > indent) };
}

/** The same for the key of an adapter; a key `config` that would hold nothing then goes with it. */
export function blockAt(lines: readonly string[], line: number): LineRange {
  const block = keyBlock(lines, line);
  const indent = indentOf(lines[line - 1]);
  const above = lines[line - 2] ?? '';
  const isAlone = /^\s*config:\s*$/.test(above) && indentOf(above) < indent && indentOf(lines.slice(block.last).find(isText)) < indent;
  return isAlone ? { first: line - 1, last: block.last } : block;
}

/** The lines of a list's item with the comment directly above it. */
export function entryAt(lines: readonly string[], line: number): LineRange {
  const indent = indentOf(lines[line - 1]);
  let first = line;
  while (/^\s*#/.test(lines[first - 2] ?? '')) first--;
  const last = lastBelow(lines, line, (next) => next > indent);
  // One of the empty lines around it goes, too.
  return { first, last: (lines[first - 2] ?? '').trim() === '' && (lines[last] ?? 'end').trim() === '' && last < lines.length - 1 ? last + 1 : last };
}

function lastBelow(lines: readonly string[], line: number, belongs: (indent: number) => boolean): number {
  let last = line;
  for (let next = line + 1; next <= lines.length; next++) {
    const text = lines[next - 1];
    if (!isText(text)) continue;
    if (!belongs(indentOf(text))) break;
    last = next;
  }
  return last;
}

function isText(line: string | undefined): boolean {
  return line !== undefined && line.trim() !== '' && !line.trimStart().startsWith('#');
}

function indentOf(line: string | undefined): number {
  return line === undefined ? 0 : line.length - line.trimStart().length;
}
