const PAUSE_MS = 10;
const MOST_PAUSES = 1_000;

/**
 * Waits for what comes by itself, e.g. word of another engine.
 * @param what ends the sentence `never came: …`
 * @throws an `Error` when it has not come within some ten seconds
 */
export async function eventually(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let count = 0; count < MOST_PAUSES; count += 1) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`never came: ${what}`);
}
