import fc from 'fast-check';
import { STREAM_COMMANDS } from './model-commands.js';
import { StreamModel } from './stream-model.js';
import type { StreamTests } from './stream-under-test.js';

/** Random sequences of writes, events and restarts against the reference model. */
export function modelTests({ suite, withFresh }: StreamTests, run: { seed: number; runs: number }): void {
  suite.test(`does what the model does, whatever comes in whatever order (seed ${run.seed})`, () =>
    fc.assert(fc.asyncProperty(fc.commands([...STREAM_COMMANDS], { maxCommands: 60, size: 'max' }), (commands) =>
      withFresh((streams) => fc.asyncModelRun(() => ({ model: new StreamModel(), real: streams }), commands))),
    { seed: run.seed, numRuns: run.runs }));
}
