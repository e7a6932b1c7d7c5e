import { setTimeout as sleep } from 'node:timers/promises';

/** Only against hanging: a machine that has much else to do may take long for anything. */
const PATIENCE_MS = 60_000;

/**
 * Looks every 20 ms until `look` gives something.
 * @throws Error naming `what` after `timeoutMs`.
 */
export async function waitUntil<T>(
  what: string, look: () => T | undefined | false | Promise<T | undefined | false>, timeoutMs = PATIENCE_MS,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms for ${what}`);
    await sleep(20);
  }
}
