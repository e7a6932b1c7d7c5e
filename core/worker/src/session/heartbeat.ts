import inspector from 'node:inspector';
import { Worker } from 'node:worker_threads';

/** How often the main thread shows that its event loop turns, in milliseconds. */
const TICK_MS = 100;

export interface HeartbeatOptions {
  readonly url: string;
  readonly token: string;
  readonly session: string;
  readonly intervalMs: number;
  /** Memory of the session's `CallGate`. */
  readonly gate: SharedArrayBuffer;
  /** Process that this one must not outlive, even while a handler blocks it. */
  readonly parent?: number | undefined;
}

/** What the heartbeat's thread is started with. */
export interface HeartbeatData extends HeartbeatOptions {
  readonly tickMs: number;
  readonly pid: number;
  /** Two Int32: the main thread's ticks, and 1 while its debugger can be reached. */
  readonly ticks: SharedArrayBuffer;
}

/**
 * Says that this process lives, from a thread of its own: a handler that computes for long does not make the worker look
 * dead, and a main thread that is stuck is seen by its missing ticks; what that has not begun, the engine can have back. One
 * that can be debugged is never called stuck: it may stand at a breakpoint.
 */
export class Heartbeat {
  readonly #thread: Worker;
  readonly #ticker: NodeJS.Timeout;

  constructor(options: HeartbeatOptions) {
    const ticks = new SharedArrayBuffer(8);
    const counter = new Int32Array(ticks);
    const tick = (): void => {
      Atomics.add(counter, 0, 1);
      Atomics.store(counter, 1, inspector.url() === undefined ? 0 : 1);
    };
    tick();
    this.#ticker = setInterval(tick, TICK_MS);
    this.#ticker.unref();
    const data: HeartbeatData = { ...options, ticks, tickMs: TICK_MS, pid: process.pid };
    this.#thread = new Worker(new URL('./heartbeat-thread.js', import.meta.url), { workerData: data, execArgv: [], env: {} });
    // A heartbeat that failed is noticed by the engine, which decides what to do about this process.
    this.#thread.on('error', () => undefined);
    this.#thread.unref();
  }

  stop(): void {
    clearInterval(this.#ticker);
    void this.#thread.terminate();
  }
}
