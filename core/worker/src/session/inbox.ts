import type { EngineMessage } from '@treadle/protocol';

const NOW = Promise.resolve();
const NONE: readonly EngineMessage[] = [];

/**
 * Hands messages on, in their order. After a delivery the next one waits for a microtask, in which a handler that only
 * computes ends: what comes next may block the process, and then it must be known that this one is over.
 */
export class Inbox {
  readonly #take: (message: EngineMessage) => void;
  #messages = NONE;
  #next = 0;
  #waiting = false;

  constructor(take: (message: EngineMessage) => void) {
    this.#take = take;
  }

  add(messages: readonly EngineMessage[]): void {
    this.#messages = this.#next < this.#messages.length ? [...this.#messages.slice(this.#next), ...messages] : messages;
    this.#next = 0;
    if (!this.#waiting) this.#goOn();
  }

  readonly #goOn = (): void => {
    this.#waiting = false;
    while (this.#next < this.#messages.length) {
      const message = this.#messages[this.#next++] as EngineMessage;
      this.#take(message);
      if (message.type === 'invoke' && message.trigger.type !== 'http') {
        this.#waiting = true;
        void NOW.then(this.#goOn);
        return;
      }
    }
    // What was handed on is not kept until the next message comes.
    this.#messages = NONE;
    this.#next = 0;
  };
}
