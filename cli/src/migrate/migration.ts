/** What a person has to do, at its place. */
export interface Note {
  /** Relative to the application's folder. */
  readonly file: string;
  /** From 1, in the file as it is on the disk when the note is read. */
  readonly line: number;
  readonly reason: string;
  readonly remedy: string;
}

/** A note of one pass over one text: its line is one of that text. */
export type TextNote = Omit<Note, 'file'>;

/** What one pass makes of a text. */
export interface Rewritten {
  readonly text: string;
  readonly notes: readonly TextNote[];
}

/** What becomes of a file. */
export interface FileChange {
  /** Relative to the application's folder. */
  readonly file: string;
  /** Its new name, where it gets one. */
  readonly renamed?: string | undefined;
  readonly before: string;
  /** Undefined: the file is removed. */
  readonly after: string | undefined;
}

/** The whole outcome; nothing is written yet. */
export interface Migration {
  readonly changes: readonly FileChange[];
  /** With the lines of the files before the change. */
  readonly notes: readonly Note[];
  /** With the lines of the files after it. */
  readonly notesAfter: readonly Note[];
}
