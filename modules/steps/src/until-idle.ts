import type { Clock } from '@treadle/api';

/** How often it is looked; milliseconds. */
const CHECK_MS = 10;

/** Resolves when nothing runs any more, or when the signal aborts. */
export async function untilIdle(clock: Clock, isIdle: () => boolean, signal: AbortSignal): Promise<void> {
  if (isIdle() || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = clock.every(CHECK_MS, () => isIdle() && done());
    const done = (): void => {
      timer.cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done);
  });
}
