import fc from 'fast-check';
import { COMMANDS } from './model-commands.js';
import type { QueueTests } from './queue-under-test.js';
import { ReferenceQueue } from './reference-queue.js';

/** Random sequences of operations, waits and restarts against the reference model. */
export function modelTests({ suite, withFresh }: QueueTests, run: { seed: number; runs: number }): void {
  suite.test(`does what the model does, whatever comes in whatever order (seed ${run.seed})`, () =>
    fc.assert(fc.asyncProperty(fc.commands([...COMMANDS], { maxCommands: 120, size: 'max' }), (commands) =>
      withFresh((queue) => fc.asyncModelRun(() => {
        const model = new ReferenceQueue();
        model.now = queue.clock.now();
        return { model, real: { queue, claims: [], epochs: new Set<string>() } };
      }, commands))),
    { seed: run.seed, numRuns: run.runs }));
}
