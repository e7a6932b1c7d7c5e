export { ChildProcess, type ChildOptions, type ChildStart } from './child-process.js';
export { exitReason } from './exit-reason.js';
export { OutputTail } from './output-tail.js';
export * from './process-host.js';
export { HEALTHY_MS, RestartPolicy } from './restart-policy.js';
export { startStepProcess, type StepProcess } from './step-process.js';
export { SupervisedWorker, type SupervisedWorkerOptions } from './supervised-worker.js';
export { StepWorkers, type StepWorkersOptions } from './step-workers.js';
