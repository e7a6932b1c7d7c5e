import { withinLimit } from './suite/time-limit.js';

/** What a suite needs of a test runner; mocha's, vitest's and jest's globals all fit. */
export interface Runner {
  describe(name: string, define: () => void): unknown;
  it(name: string, run: () => Promise<void> | void): unknown;
}

/** A test of a suite that does not hold for a target, and why. */
export interface Skip {
  readonly test: string;
  readonly reason: string;
  readonly issue?: string;
}

/** A suite's tests by name, some of them skipped. A skip that names no test, or says no reason, fails the suite. */
export class Suite {
  private readonly names: string[] = [];

  constructor(private readonly runner: Runner, private readonly skips: readonly Skip[]) {}

  test(name: string, run: () => Promise<void> | void): void {
    this.names.push(name);
    if (!this.skips.some((skip) => skip.test === name)) this.runner.it(name, () => withinLimit(name, run));
  }

  /** Call after the last test. */
  checkSkips(): void {
    if (this.skips.length === 0) return;
    this.runner.it('skips only tests that exist, each with a reason', () => {
      for (const { test, reason } of this.skips) {
        if (!this.names.includes(test)) throw new Error(`there is no test "${test}" to skip; there are: ${this.names.join('; ')}`);
        if (reason.trim() === '') throw new Error(`the skip of "${test}" has no reason`);
      }
    });
  }
}
