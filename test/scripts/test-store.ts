// Started by run-tests.mjs: the servers of one backend, until this process is ended. Prints how a configuration uses them, as one line of JSON.
import { oneOf, say } from '../support/campaign.js';
import { BACKEND_NAMES, BACKENDS } from '../support/shared-backends.js';

const name = oneOf('store', process.argv[2], BACKEND_NAMES) ?? 'postgres';
const missing = BACKENDS[name].missing();
if (missing !== undefined) throw new Error(missing);
const backend = await BACKENDS[name].start();
const end = async (): Promise<void> => {
  await backend.stop();
  process.stdin.destroy();
};
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void end());
process.stdin.resume().once('end', () => void end());
const { plugins, adapters } = backend;
say(JSON.stringify({ plugins, adapters }));
