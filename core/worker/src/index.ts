export * from './discover.js';
export * from './runner-host.js';
export * from './running/invoke.js';
export * from './step-runner.js';
export * from './worker-main.js';
export type { StepFile, StepFileReport, StepFileProblem, LoadedStep } from '@treadle/protocol';
