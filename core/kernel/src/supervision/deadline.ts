import { setMaxListeners } from 'node:events';
import type { Clock, Timer } from '@treadle/api';

/** A wait that may end early. */
export interface Deadline {
  readonly clock: Clock;
  readonly ms: number;
  /** Ends the wait at once. */
  readonly giveUp: AbortSignal;
}

/**
 * A deadline passes in so many parts, one after the other. An event loop that stands still, because the process was held up or had no processor, uses up
 * one of them, and what had long been done is heard of before the next.
 */
const PARTS = 10;

/**
 * Runs a task until it is done, the time is up or somebody gives up; in the latter cases its signal is aborted and
 * what it still does is nobody's business. The task begins before this returns. Rejects with the task's own error.
 */
export function withDeadline(
  deadline: Deadline, task: (signal: AbortSignal) => Promise<void> | undefined,
): Promise<'done' | 'late' | 'given_up'> {
  const controller = new AbortController();
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void): void => {
      timer.cancel();
      deadline.giveUp.removeEventListener('abort', abandon);
      settle();
    };
    const abort = (outcome: 'late' | 'given_up'): void => finish(() => {
      controller.abort();
      resolve(outcome);
    });
    const abandon = (): void => abort('given_up');
    let parts = PARTS;
    const pass = (): void => {
      parts -= 1;
      if (parts < 0) abort('late');
      else timer = deadline.clock.after(deadline.ms / PARTS, pass);
    };
    let timer: Timer;
    pass();
    if (deadline.giveUp.aborted) return abandon();
    deadline.giveUp.addEventListener('abort', abandon);
    (async () => task(controller.signal))().then(
      () => finish(() => resolve('done')),
      (error: unknown) => finish(() => reject(error as Error)),
    );
  });
}

/** Waits for `ms`, or less when somebody gives up. */
export async function pause(deadline: Deadline): Promise<void> {
  if (deadline.ms <= 0) return;
  await withDeadline(deadline, () => new Promise<void>(() => undefined));
}

/** False: somebody gave up before the task was done, which goes on. Rejects with its error. */
export async function unlessGivenUp(giveUp: AbortSignal, task: Promise<unknown>): Promise<boolean> {
  let abandon: () => void = () => undefined;
  const given = new Promise<false>((resolve) => { abandon = () => resolve(false); });
  giveUp.addEventListener('abort', abandon);
  if (giveUp.aborted) abandon();
  try {
    return await Promise.race([given, task.then(() => true)]);
  } finally {
    giveUp.removeEventListener('abort', abandon);
  }
}

/** A controller whose signal as many may listen to as there are modules, without a warning of Node.js. */
export function sharedController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** Never aborted. */
export const NEVER: AbortSignal = sharedController().signal;

/** Keeps the process alive while something is awaited whose timers do not. */
export async function awake<T>(task: () => Promise<T>): Promise<T> {
  const handle = setInterval(() => undefined, 1 << 30);
  try {
    return await task();
  } finally {
    clearInterval(handle);
  }
}
