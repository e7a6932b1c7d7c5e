import { type HarnessOptions, type RunningAdapter, startAdapter } from '../adapter-harness.js';
import { type FakeClock, fakeClock } from '../fake-clock.js';

/** An adapter that tests start, stop and start again, with a fake clock that goes on over restarts. */
export class AdapterUnderTest<A, Caps> {
  /** See `HarnessOptions.users`. */
  protected readonly users: number = 1;
  /** Lets the store go by the machine's time from now on; see `AdapterTarget.storeTime`. */
  useMachineTime: () => Promise<void> = () => Promise.resolve();
  private running: RunningAdapter<A> | undefined;

  /** `clock`: that of its engine. */
  constructor(readonly options: HarnessOptions, readonly clock: FakeClock = fakeClock()) {}

  /** @throws an `Error` when it is not running */
  get adapter(): A {
    return this.user(0);
  }

  /**
   * The adapter of another slot that stands beside it.
   * @throws an `Error` when there is none
   */
  beside<B>(slot: string): B {
    const found = this.running?.beside.get(slot);
    if (found === undefined) throw new Error(`there is no adapter of slot "${slot}" beside it; name one in "beside" of the kit's target`);
    return found as B;
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
