import { createTwoFilesPatch } from 'diff';
import type { FileChange, Migration, Note } from './migration.js';

/** All changes as one unified diff; a file that is removed or renamed has a line of its own. */
export function unifiedDiff(changes: readonly FileChange[]): string {
  return changes.map(({ file, renamed, before, after }) => {
    if (after === undefined) return `deleted file ${file}, which nothing reads here\n`;
    const to = `b/${renamed ?? file}`;
    const heading = renamed === undefined ? '' : `renamed file ${file} => ${renamed}\n`;
    const patch = createTwoFilesPatch(`a/${file}`, to, before, after, undefined, undefined, { context: 3, headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true } });
    return heading + (before === after ? '' : patch);
  }).join('');
}

/** One line of what is left for a person, with its remedy. */
export function formatNote({ file, line, reason, remedy }: Note): string {
  return `${file}:${line}  ${reason}\n    hint: ${remedy}`;
}

/** What was done or would be, and what to do next. */
export function summary({ changes, notes }: Migration, written: boolean): string {
  if (changes.length === 0 && notes.length === 0) return 'Nothing to change.';
  const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;
  const left = notes.length === 0 ? '' : `; ${count(notes.length, 'place')} to look at by hand`;
  if (changes.length === 0) return `Nothing to change${left}.`;
  const next = written ? 'Next: npm install, npx treadle check, npx treadle dev.' : 'Nothing was written: --write applies it.';
  return `${count(changes.length, 'file')} ${written ? 'changed' : 'would change'}${left}. ${next}`;
}
