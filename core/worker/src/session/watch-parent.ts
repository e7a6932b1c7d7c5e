import { Worker } from 'node:worker_threads';

/** Who must not outlive whom. */
export interface ParentWatch {
  /** This process. */
  readonly pid: number;
  readonly parent: number;
}

/**
 * Ends this process when its parent has gone, at most 3 s later: the main thread gets 2 s to end by itself, which it cannot
 * while code of the application blocks it. To be called in another thread than that one. It must stand alone: a thread is made
 * of its text.
 */
export function watchParent({ pid, parent }: ParentWatch): void {
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    setTimeout(() => process.kill(pid, 'SIGKILL'), 2_000);
  }, 1_000);
}

/** Watches from a thread of its own, where there is no other yet. */
export function startParentWatch(watch: ParentWatch): void {
  const program = `const watchParent = ${watchParent.toString()}; watchParent(require('node:worker_threads').workerData);`;
  const thread = new Worker(program, { eval: true, workerData: watch, execArgv: [], env: {} });
  // Without it the heartbeat's thread watches, as soon as the files are loaded.
  thread.on('error', () => undefined);
  thread.unref();
}
