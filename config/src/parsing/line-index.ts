import type { SourceLocation } from '@treadle/api';

const LINE_BREAK = /\r\n|\n|\r/g;

/** Turns offsets of a text into lines and columns. Columns count UTF-16 units, as editors do. */
export class LineIndex {
  private readonly starts: number[] = [0];
  private readonly file: string;

  constructor(text: string, file: string) {
    this.file = file;
    for (const found of text.matchAll(LINE_BREAK)) this.starts.push(found.index + found[0].length);
  }

  /** Place of an offset from 0. */
  at(offset: number): SourceLocation {
    const line = this.lineOf(offset);
    return { file: this.file, line: line + 1, column: offset - (this.starts[line] as number) + 1 };
  }

  /** The offset of a place that `at` gave. */
  offset(at: SourceLocation): number {
    return (this.starts[(at.line ?? 1) - 1] as number) + (at.column ?? 1) - 1;
  }

  private lineOf(offset: number): number {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
