/**
 * Waits for the work, but no longer than the signal allows, and not at all when the signal was aborted before. The work itself
 * goes on; what it rejects with later is nobody's concern.
 * @throws what the work rejects with before the signal aborts
 */
export async function untilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  let leave = (): void => undefined;
  const aborted = new Promise<void>((resolve) => { leave = resolve; });
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
  try {
    await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
