import { setTimeout as delay } from 'node:timers/promises';

/** Between two looks. */
const INTERVAL_MS = 2000;
/** To the upper left, with everything below taken away. */
const CLEAR = '\u001b[H\u001b[2J';

/** Where tables are shown. */
export interface WatchStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Shows a text again and again until Ctrl-C: on a terminal in place, else one below the other. Fails when the text cannot be had. */
export async function showWatched(text: () => Promise<string>, stream: WatchStream): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  while (!stop.signal.aborted) {
    const shown = await text();
    const at = new Date().toISOString().slice(11, 19);
    stream.write(stream.isTTY ? `${CLEAR}${shown}\n${at}Z; Ctrl-C ends\n` : `${shown}\n\n`);
    // Rejects when it is stopped.
    await delay(INTERVAL_MS, undefined, { signal: stop.signal }).catch(() => undefined);
  }
}
