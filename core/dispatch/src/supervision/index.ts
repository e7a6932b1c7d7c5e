export { startStepProcess, type StepProcess } from './step-process.js';
export { StepWorkers, type StepWorkersOptions } from './step-workers.js';
