import { type HarnessOptions, type RunningAdapter, startAdapter } from '../adapter-harness.js';
import type { StoreTime } from '../adapter-target.js';
import { type FakeClock, fakeClock } from '../fake-clock.js';

/** An adapter that tests start, stop and start again, with a fake clock that goes on over restarts. */
export class AdapterUnderTest<A, Caps> {
  /** That of its engine. */
  readonly clock: FakeClock;
  /** Goes with the clock. */
  storeTime: StoreTime | undefined;
  /** See `HarnessOptions.users`. */
  protected readonly users: number = 1;
  private running: RunningAdapter<A> | undefined;

  /** @param clock default: one of its own, which moves the store's time with it */
  constructor(readonly options: HarnessOptions, clock?: FakeClock) {
    this.clock = clock ?? fakeClock(undefined, (ms) => this.storeTime?.advance(ms) ?? Promise.resolve());
  }

  /** @throws an `Error` when it is not running */
  get adapter(): A {
    return this.user(0);
  }

  /** What the plan found for the config. */
  get capabilities(): Caps {
    return this.running?.capabilities as Caps;
  }

  /**
   * The adapter of one of its users, from 0.
   * @throws an `Error` when it is not running
   */
  user(number: number): A {
    if (!this.running || number >= this.running.adapters.length) throw new Error('the adapter is not running');
    return this.running.adapters[number] as A;
  }

  /** @throws what `startAdapter` throws */
  async start(): Promise<void> {
    this.running = await startAdapter<A>({ ...this.options, users: this.users, clock: this.clock });
  }

  /** Does nothing when it is not running. */
  async stop(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    await running?.stop();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }
}
