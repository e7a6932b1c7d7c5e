import type { AtomicPart, NewMessage } from '@treadle/api';

/** Messages of an atomic run. They are stored as a part of its commit; whoever counts is told then. */
export class HeldMessages implements AtomicPart {
  private readonly messages: NewMessage[] = [];

  constructor(private readonly stored: (messages: readonly NewMessage[]) => void) {}

  add(messages: readonly NewMessage[]): void {
    this.messages.push(...messages);
  }

  /** They go with the commit's messages. */
  writes(): readonly [] {
    return [];
  }

  committed(): void {
    this.stored(this.messages);
  }
}
