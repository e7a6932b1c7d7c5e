export * from './builtin-plugins.js';
export * from './check-config.js';
export * from './engine-surroundings.js';
export * from './run-engine.js';
export * from './version.js';
export { checkStore, salvageStore, type SalvageReport, type StoreCheck } from '@treadle/plugin-sqlite';
