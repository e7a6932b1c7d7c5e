import { createHook } from 'node:async_hooks';
import type { Ctor, Lifecycle } from '@treadle/api';
import type { EnginePlan } from '@treadle/kernel';
import { probeEntry } from './module-life.js';

/** These come with any code and hold nothing. */
const HARMLESS: ReadonlySet<string> = new Set(['PROMISE', 'TickObject']);

/** Watches what constructors do, and ends the engine before the first init. */
export interface ConstructionProbe {
  readonly plan: (plan: EnginePlan) => EnginePlan;
  /** Kinds of asynchronous resources (timers, sockets, file requests) that were made while the modules were constructed. */
  readonly resources: readonly string[];
}

/** The message of the init that the probe makes fail. */
export const PROBE_MESSAGE = 'the kit ends here, before the first init';

/** Makes a probe: it watches from the first constructor of a plan to the last. */
export function constructionProbe(): ConstructionProbe {
  const resources: string[] = [];
  const hook = createHook({
    init: (_id, type) => {
      if (!HARMLESS.has(type)) resources.push(type);
    },
  });
  class First implements Lifecycle {
    constructor() {
      hook.enable();
    }

    init(): Promise<void> {
      return Promise.reject(new Error(PROBE_MESSAGE));
    }
  }
  class Last implements Lifecycle {
    constructor() {
      hook.disable();
    }

    stop(): Promise<void> {
      return Promise.resolve();
    }
  }
  return {
    resources,
    plan: (plan) => ({
      ...plan, entries: [probeEntry(First as Ctor<Lifecycle>, 'First'), ...plan.entries, probeEntry(Last as Ctor<Lifecycle>, 'Last')],
    }),
  };
}
