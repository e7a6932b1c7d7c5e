/** What a call throws or a promise rejects with, as tests look at it. @throws an `Error` when it did not fail */
export async function errorOf(failing: Promise<unknown> | (() => unknown)): Promise<Error & { code?: string; exitCode?: number; hint?: string }> {
  try {
    await (typeof failing === 'function' ? failing() : failing);
  } catch (error) {
    return error as Error;
  }
  throw new Error('it did not fail');
}
