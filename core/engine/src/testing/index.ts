export * from './create-test-engine.js';
export * from './test-config.js';
