/** Gathers what others wait for, such as frames to a worker, during a turn of the event loop and writes it at the turn's end. */
export interface Outlet {
  /** Writes what there is now; may be called at any time. */
  flush(): void;
}

const open = new Set<Outlet>();

/** From now on `outlet` is flushed around whatever blocks the event loop, until the returned function is called. */
export function openOutlet(outlet: Outlet): () => void {
  open.add(outlet);
  return () => void open.delete(outlet);
}

/**
 * For work that blocks the event loop, such as a commit that waits for the disk: what was gathered before goes out first and
 * what the work let happen goes out as soon as it has happened, so that others work at the same time.
 */
export function blocking(work: () => void): void {
  flushOutlets();
  work();
  // Ticks run when no microtask is left, so what is awaited on the way to an outlet has arrived there.
  queueMicrotask(() => process.nextTick(flushOutlets));
}

function flushOutlets(): void {
  for (const outlet of open) outlet.flush();
}
