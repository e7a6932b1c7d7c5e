// graphile-worker: addJobs for what is sent in a turn, local queue and batched completion as its performance page uses them.
import { makeWorkerUtils, run } from 'graphile-worker';
import { Meter, perTurn, serveQueue } from './jobs.mjs';

const connectionString = process.argv[2];
const meter = new Meter();
const preset = {
  worker: { connectionString, maxPoolSize: 10, concurrentJobs: 24, pollInterval: 2000, localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
};
const silent = { error: console.error, warn: () => undefined, info: () => undefined, debug: () => undefined };
const { Logger } = await import('graphile-worker');
const logger = new Logger(() => (level, text) => silent[level]?.(text));
const utils = await makeWorkerUtils({ connectionString, maxPoolSize: 10, logger });
await utils.migrate();
await run({ preset, logger, noHandleSignals: true, taskList: { bench: async (payload) => meter.handled(payload) } });
serveQueue(perTurn((messages) => utils.addJobs(messages.map((payload) => ({ identifier: 'bench', payload })))), meter);
