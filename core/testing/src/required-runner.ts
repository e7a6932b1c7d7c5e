import type { Runner } from './runner.js';

/** Every call may be a round trip to another process, which waits for a turn on a busy machine; milliseconds. */
const LIMIT_MS = 120_000;

/** What mocha gives to tests. */
interface TestContext {
  timeout(): number;
  timeout(ms: number): unknown;
  skip(): never;
}

/**
 * Registers tests with mocha that need something, e.g. a server. Without it they are skipped, and fail under `CI=true`, so
 * that nothing is left out unnoticed.
 * @param missing why it is not there; undefined where it is
 */
export function requiredRunner(missing: () => string | undefined): Runner {
  const mocha = globalThis as unknown as Runner;
  return {
    describe: (name, define) => mocha.describe(name, define),
    it: (name, run) => mocha.it(name, function whereItIs(this: TestContext) {
      this.timeout(Math.max(this.timeout(), LIMIT_MS));
      const reason = missing();
      if (reason === undefined) return run();
      if (process.env['CI'] === 'true') throw new Error(reason);
      return this.skip();
    } as () => Promise<void> | void),
  };
}
