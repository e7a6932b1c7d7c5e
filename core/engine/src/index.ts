export * from './builtin-plugins.js';
export * from './check-config.js';
export * from './engine-surroundings.js';
export * from './run-engine.js';
export * from './version.js';
