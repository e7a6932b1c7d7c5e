export * from './builtin-plugins.js';
export * from './check-config.js';
export { COPIED_SLOTS } from './copy/copy-ends.js';
export type { CopiedKind, CopiedSlot, CopyProgress, CopyReport } from './copy/copy-report.js';
export { copyStores, type CopyOptions } from './copy/copy-stores.js';
export * from './engine-surroundings.js';
export * from './run-engine.js';
export * from './version.js';
export { checkStore, salvageStore, type SalvageReport, type StoreCheck } from '@treadle/plugin-sqlite';
