/** What the events of one answer may take while its client does not read; in bytes. */
const MOST_OF_ANSWER = 4 * 1024 * 1024;
/** What the events of all answers of this process may take. */
const MOST_OF_PROCESS = 64 * 1024 * 1024;
/** What every answer may have, whatever the others take. */
const LEAST = 64 * 1024;
/** What an event takes beside its text. */
const OVERHEAD = 64;

let heldByProcess = 0;

/** Events that were sent before there was room for them, because nobody awaited `send`. Bounded for each answer, and for the process. */
export class EventQueue {
  #texts: string[] = [];
  #next = 0;
  #held = 0;

  /** Nothing waits. */
  get empty(): boolean {
    return this.#next === this.#texts.length;
  }

  /** Keeps an event. False: there is no room for it. */
  add(text: string): boolean {
    const size = sizeOf(text);
    const held = this.#held + size;
    if (held > LEAST && (held > MOST_OF_ANSWER || heldByProcess + size > MOST_OF_PROCESS)) return false;
    this.#hold(size);
    this.#texts.push(text);
    return true;
  }

  /** The events that waited longest as one text, which ends with the one that makes it `length` characters or more. */
  take(length: number): string {
    let text = '';
    while (!this.empty && text.length < length) {
      const next = this.#texts[this.#next++] as string;
      this.#hold(-sizeOf(next));
      text += next;
    }
    if (this.empty) this.clear();
    return text;
  }

  /** Drops what waits. */
  clear(): void {
    this.#hold(-this.#held);
    this.#texts = [];
    this.#next = 0;
  }

  #hold(size: number): void {
    this.#held += size;
    heldByProcess += size;
  }
}

/** A text of JavaScript takes one or two bytes a character. */
const sizeOf = (text: string): number => text.length * 2 + OVERHEAD;
