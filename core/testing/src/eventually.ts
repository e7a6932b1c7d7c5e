import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 10;

/**
 * Asks until the answer holds, and gives that answer. For what comes by itself, e.g. word of another engine.
 * @param what ends the sentence `never came: …`
 * @param holds default: any answer but `false`, `undefined`, `null`, `0` and `''`
 * @param limitMs of waiting between answers, in milliseconds; what asking takes does not count
 * @throws an `Error` when it has not come by then; what `ask` throws
 */
export async function eventually<T>(what: string, ask: () => T | Promise<T>, holds: (answer: T) => boolean = Boolean, limitMs = 10_000): Promise<T> {
  for (let left = limitMs; ; left -= PAUSE_MS) {
    const answer = await ask();
    if (holds(answer)) return answer;
    if (left <= 0) throw new Error(`never came: ${what}`);
    await sleep(PAUSE_MS);
  }
}
