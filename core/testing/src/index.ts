export * from './fake-clock.js';
export * from './recorded-log.js';
export * from './module-suite.js';
export * from './module-target.js';
export type { Runner, Skip } from './runner.js';
export * from './adapter-harness.js';
export * from './adapter-target.js';
export * from './state-adapter-suite.js';
