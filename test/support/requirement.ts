import type { Context } from 'mocha';

/**
 * For what a machine may lack: skips the test and says why; under `CI=true` it fails instead, so that nothing is
 * left out unnoticed.
 */
export function requireOrSkip(test: Context, present: boolean, reason: string): void {
  if (present) return;
  if (process.env['CI'] === 'true') throw new Error(`needed in CI: ${reason}`);
  const runnable = test.test;
  if (runnable) runnable.title += ` (skipped: ${reason})`;
  test.skip();
}
