import type { StreamGroup } from '@treadle/api';
import { textAt, tokenOf } from '../store/subjects.js';

/** Subjects of one store's streams: one for a group. */
export class StreamPlaces {
  readonly all: string;
  private readonly head: string;

  constructor(prefix: string) {
    this.head = `${prefix}.e.`;
    this.all = `${this.head}>`;
  }

  groupOf({ stream, groupId }: StreamGroup): string {
    return `${this.head}${tokenOf(stream)}.${tokenOf(groupId)}`;
  }

  /** All groups of a stream. */
  streamOf(stream: string): string {
    return `${this.head}${tokenOf(stream)}.*`;
  }

  namesOf(subject: string): StreamGroup {
    return { stream: textAt(subject, this.head, 0), groupId: textAt(subject, this.head, 1) };
  }
}
