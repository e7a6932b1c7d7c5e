import { LogValve } from '@treadle/protocol';
import type { RunnerLogEntry } from '../runner-host.js';
import { logText } from './log-text.js';

/** Bytes that may wait for the engine before log records are dropped. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
/** How often it is looked whether the log flows again, in milliseconds. */
const LOOK_MS = 500;

export interface LogOutletOptions {
  readonly send: (json: string) => void;
  /** Bytes that the connection has not taken yet. */
  readonly waiting: () => number;
}

/** Sends log records to the engine. Handlers that log faster than it reads lose records rather than fill the memory of their process. */
export class LogOutlet {
  readonly #send: (json: string) => void;
  readonly #valve: LogValve;
  #timer: NodeJS.Timeout | undefined;

  constructor({ send, waiting }: LogOutletOptions) {
    this.#send = send;
    this.#valve = new LogValve({ limit: MAX_WAITING_BYTES, waiting });
  }

  log(callId: number | undefined, entry: RunnerLogEntry): void {
    if (!this.#valve.admits(entry.level)) {
      this.#timer ??= setInterval(() => this.#tell(), LOOK_MS).unref();
      return;
    }
    if (this.#timer !== undefined) this.#tell();
    this.#send(logText(callId, entry));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** One record says how many are missing, at the place where they are. */
  #tell(): void {
    const dropped = this.#valve.untold();
    if (dropped === 0) return;
    this.close();
    this.#send(logText(undefined, { time: Date.now(), level: 'warn', message: 'log records were dropped: there were more than the engine could read', fields: { dropped } }));
  }
}
