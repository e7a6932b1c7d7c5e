import type { Readable } from 'node:stream';
import type { Mark } from '@treadle/protocol';

/** The file descriptor that a Step process writes its marks to. */
export const MARKS_FD = 3;

/** A process that writes longer lines than this writes no marks. */
const MAX_LINE = 8 * 1024;

/** Reads the marks of a process. What is no mark is ignored: the code of the application can write there, too. */
export function readMarks(source: Readable | null | undefined, onMark: (mark: Mark) => void): void {
  if (!source) return;
  let rest = '';
  source.setEncoding('utf8');
  source.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_LINE);
    for (const line of lines) {
      const mark = toMark(line);
      if (mark) onMark(mark);
    }
  });
  source.on('error', () => undefined); // the process is gone; its exit says why
}

function toMark(line: string): Mark | undefined {
  try {
    const mark = JSON.parse(line) as Mark | null;
    return typeof mark === 'object' && mark !== null ? mark : undefined;
  } catch {
    return undefined; // written by somebody else
  }
}
