import type { Link } from './link.js';

/** When the server stored a message that was sent between two moments of the engine's clock. */
export interface TimeSample {
  readonly began: number;
  readonly ended: number;
  /** Milliseconds since the epoch by the clock of the server that leads the stream. */
  readonly store: number;
}

/** Asks what time it is where the store is: a message is stored, and the time that the server gave it is read. */
export class ServerTime {
  constructor(private readonly link: Link, private readonly stream: string, private readonly subject: string) {}

  /** @throws an `OperationError` when the server does not answer */
  async ask(now: () => number): Promise<TimeSample> {
    return this.link.ask(async () => {
      const began = now();
      const { seq } = await this.link.js.publish(this.subject, '');
      const ended = now();
      const stored = await this.link.jsm.streams.getMessage(this.stream, { seq });
      if (!stored) throw new Error(`${this.stream} has lost a message that it has just stored`);
      return { began, ended, store: stored.time.getTime() };
    });
  }
}
