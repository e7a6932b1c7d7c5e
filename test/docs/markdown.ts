import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT, filesBelow } from '../architecture/workspace.js';

export interface Fence {
  /** Relative to the repository. */
  readonly file: string;
  /** Of the opening fence. */
  readonly line: number;
  /** First word after the backticks. */
  readonly language: string;
  /** What follows it: in guides the file that the text is meant for; else empty. */
  readonly name: string;
  readonly text: string;
}

/** Every Markdown file that people read: READMEs and docs, without templates and fixtures. */
export function documents(): readonly string[] {
  return filesBelow(ROOT).filter((file) => file.endsWith('.md') && !/templates|fixtures/.test(file)).map((file) => relative(ROOT, file)).sort();
}

/** The fenced blocks of a document. */
export function fencesOf(file: string): readonly Fence[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/^```(\w*)([^\n]*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    file, line: text.slice(0, match.index).split('\n').length, language: match[1] ?? '', name: (match[2] ?? '').trim(), text: match[3] ?? '',
  }));
}

/** Targets of the relative links of a document, without anchors. */
export function linksOf(file: string): readonly string[] {
  const text = readFileSync(join(ROOT, file), 'utf8').replace(/^```[\s\S]*?^```$/gm, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => (match[1] ?? '').replace(/#.*$/, ''))
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target));
}
