/** Types of every answer of the admin API, for clients. Nothing here is code. */
export type * from './answers.js';
export type * from './common.js';
export type * from './config.js';
export type * from './cron.js';
export type * from './flows.js';
export type * from './jobs.js';
export type * from './live.js';
export type * from './logs.js';
export type * from './meta.js';
export type * from './metrics.js';
export type * from './modules.js';
export type * from './plugin-views.js';
export type * from './queues.js';
export type * from './run.js';
export type * from './state.js';
export type * from './streams.js';
export type * from './traces.js';
