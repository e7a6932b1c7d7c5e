export * from './clock.js';
export * from './engine.js';
export * from './engine-reports.js';
export * from './log/index.js';
export { isLiveSetting } from './planning/live-settings.js';
export * from './plan.js';
export * from './planned.js';
export * from './registry.js';
export { EngineTurn } from './turn.js';
