export { StepHubImpl, type StepHubOptions } from './step-hub.js';
