import { textAt, tokenOf } from '../store/subjects.js';

/** Subjects of one store's state. */
export class StatePlaces {
  /** All keys of all groups. */
  readonly all: string;
  private readonly head: string;

  constructor(private readonly prefix: string) {
    this.head = `${prefix}.s.`;
    this.all = `${this.head}>`;
  }

  keyOf(group: string, key: string): string {
    return `${this.head}${tokenOf(group)}.${tokenOf(key)}`;
  }

  /** All keys of a group. */
  groupOf(group: string): string {
    return `${this.head}${tokenOf(group)}.*`;
  }

  /** Where the highest revision is kept of all that a group has forgotten. */
  floorOf(group: string): string {
    return `${this.prefix}.m.floor.${tokenOf(group)}`;
  }

  namesOf(subject: string): { readonly group: string; readonly key: string } {
    return { group: textAt(subject, this.head, 0), key: textAt(subject, this.head, 1) };
  }

  /** A word that a key has something to be looked at in a span of time. */
  noteOf(span: number, subject: string): string {
    return `${this.prefix}.m.due.${span}.${subject.slice(this.head.length)}`;
  }

  /** All keys that are to be looked at in a span of time. */
  notesOf(span: number): string {
    return `${this.prefix}.m.due.${span}.>`;
  }

  /** The key that a note is about. */
  keyOfNote(span: number, note: string): string {
    return this.head + note.slice(this.notesOf(span).length - 1);
  }
}
