import type { HarnessOptions } from '../adapter-harness.js';
import { type FakeClock, fakeClock } from '../fake-clock.js';
import type { WithFresh } from './adapter-suite.js';
import type { AdapterUnderTest } from './adapter-under-test.js';

/** How far the clock of the second engine is ahead of that of the first. */
const AHEAD_MS = 600_000;

/** A test with two engines on one store, whose clocks differ by ten minutes. */
export type WithTwo<U> = (body: (first: U, second: U) => Promise<void>) => () => Promise<void>;

/** For variants that declare `multiEngine`. */
export function twoEngines<U extends AdapterUnderTest<unknown, unknown>>(
  withFresh: WithFresh<U>, Create: new (options: HarnessOptions, clock: FakeClock) => U,
): WithTwo<U> {
  return (body) => () => withFresh(async (first) => {
    const second = new Create(first.options, fakeClock(first.clock.now() + AHEAD_MS));
    try {
      await second.start();
      await body(first, second);
    } finally {
      await second.stop();
    }
  });
}
