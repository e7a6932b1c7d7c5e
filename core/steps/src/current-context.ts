import { AsyncLocalStorage } from 'node:async_hooks';
import type { StepContext } from './step-context.js';

const STORAGE = Symbol.for('treadle.context');
const TRACKING = Symbol.for('treadle.context-tracking');
interface Shared {
  [STORAGE]?: AsyncLocalStorage<StepContext>;
  [TRACKING]?: Uint8Array;
}

/** Where the current context is kept; one per process, whatever the number of copies of this package. */
export function contextStorage(): AsyncLocalStorage<StepContext> {
  const shared = globalThis as unknown as Shared;
  return (shared[STORAGE] ??= new AsyncLocalStorage<StepContext>());
}

/**
 * One byte in shared memory, per process: 1 once something may ask for the current context, so that handlers have to run
 * inside the storage; 0 before. It never goes back. For those who run handlers.
 */
export function contextTracking(): Uint8Array {
  const shared = globalThis as unknown as Shared;
  return (shared[TRACKING] ??= new Uint8Array(new SharedArrayBuffer(1)));
}

/**
 * The context of the handler that the caller runs in, anywhere below it. Before Node 24 it is kept inside the engine's own process
 * only when code that can ask for it was loaded: code that is first imported by a running handler has it there from the next
 * invocation on.
 * @throws Error outside a handler.
 */
export function getContext(): StepContext {
  const context = contextStorage().getStore();
  // While a file is imported there is something in the storage that is no context.
  if (context && !('loadedFile' in context)) return context;
  contextTracking()[0] = 1;
  throw new Error('getContext() was called outside a handler; it works while a Step\'s handler runs');
}
