import type { Clock } from '@treadle/api';
import { systemClock } from '@treadle/kernel';
import { startAdapter } from '../adapter-harness.js';
import type { EngineCall, EngineProcessOptions, EngineReport } from './engine-process.js';

/* Started by engine-process.ts: an engine with the adapter, led over the process's channel until that closes. */

type Methods = Readonly<Record<string, ((...args: readonly unknown[]) => unknown) | undefined>>;

const { clockAheadMs, listens, ...options } = JSON.parse(process.argv[2] ?? '{}') as EngineProcessOptions;
const { adapter, stop } = await startAdapter<Methods>({ ...options, clock: clockAhead(clockAheadMs) });
for (const method of listens) adapter[method]?.((...args: readonly unknown[]) => report({ told: method, args }));
process.on('message', (call: EngineCall) => void answer(call));
process.on('disconnect', () => void stop());
report({ ready: true });

function report(what: EngineReport): void {
  if (process.connected) process.send?.(what);
}

async function answer({ id, method, args }: EngineCall): Promise<void> {
  try {
    report({ id, value: await adapter[method]?.(...args) });
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    report({ id, error: { code, message } });
  }
}

function clockAhead(ms: number): Clock {
  return {
    now: () => systemClock.now() + ms,
    wall: () => systemClock.wall() + ms,
    monotonic: () => systemClock.monotonic(),
    after: (wait, task) => systemClock.after(wait, task),
    every: (wait, task) => systemClock.every(wait, task),
  };
}
