interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Changes of a text at places of its original; what lies between them stays as it is, to the byte. */
export class TextEdits {
  private readonly edits: Edit[] = [];

  constructor(private readonly source: string) {}

  get isEmpty(): boolean {
    return this.edits.length === 0;
  }

  /** Puts `text` in the place of what stands from `start` to `end`. Where it would meet an earlier change nothing is done, and the answer is false. */
  replace(start: number, end: number, text: string): boolean {
    if (this.source.slice(start, end) === text) return true;
    if (this.edits.some((edit) => overlap(edit, { start, end, text }))) return false;
    this.edits.push({ start, end, text });
    return true;
  }

  insert(at: number, text: string): boolean {
    return this.replace(at, at, text);
  }

  /** The text with all changes. */
  apply(): string {
    let result = this.source;
    for (const { start, end, text } of [...this.edits].sort((a, b) => b.start - a.start || b.end - a.end)) {
      result = result.slice(0, start) + text + result.slice(end);
    }
    return result;
  }
}

/** Two insertions at one place are one too many as well. */
function overlap(a: Edit, b: Edit): boolean {
  return (a.start < b.end && b.start < a.end) || (a.start === b.start && a.end === b.end)
    || (a.start === a.end && b.start < a.start && a.start < b.end) || (b.start === b.end && a.start < b.start && b.start < a.end);
}
