import fc from 'fast-check';
import { COMMANDS } from './model-commands.js';
import { ReferenceModel } from './reference-model.js';
import type { StateTests } from './state-under-test.js';

/** Random sequences of operations, waits and restarts against the reference model. */
export function modelTests({ suite, withFresh }: StateTests, run: { seed: number; runs: number }): void {
  suite.test(`does what the model does, whatever comes in whatever order (seed ${run.seed})`, () =>
    fc.assert(fc.asyncProperty(fc.commands([...COMMANDS], { maxCommands: 80, size: 'max' }), (commands) =>
      withFresh((state) => fc.asyncModelRun(() => ({ model: new ReferenceModel(), real: state }), commands))),
    { seed: run.seed, numRuns: run.runs }));
}
