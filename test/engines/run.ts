// npm run engines -- [--minutes 5] [--only postgres|redis|nats|rabbitmq] [--accidents kill,cut,silence,freeze] [--longest 30] [--keys 8] [--pause 50] [--seed N]
// One JSON line per backend, with the seed of its accidents; ends with 1 when something was wrong.
import { aboveZero, campaignOptions, oneOf, progress, randomSeed, tell } from '../support/campaign.js';
import { stopAllEngines } from '../support/engine-process.js';
import { BACKEND_NAMES, BACKENDS } from '../support/shared-backends.js';
import { runEngines } from './src/engines-run.js';
import { type Accident, ACCIDENTS } from './src/tried-engine.js';

const { minutes, longest, keys, pause: pauseMs, seed, ...values } = campaignOptions({ minutes: 5, only: undefined, accidents: 'kill', longest: 30, keys: 8, pause: 50, seed: randomSeed() });
aboveZero({ minutes, longest, keys });
const accidents = values.accidents.split(',').map((name) => oneOf('accidents', name, ACCIDENTS) as Accident);
const only = oneOf('only', values.only, BACKEND_NAMES);

for (const name of BACKEND_NAMES.filter((each) => only === undefined || each === only)) {
  const missing = BACKENDS[name].missing();
  if (missing !== undefined) throw new Error(`${missing}: install it, or name another backend with --only`);
  progress('engines', `${name}, seed ${seed}`);
  const backend = await BACKENDS[name].start();
  try {
    const result = await runEngines({ backend, seconds: minutes * 60, accidents, betweenMs: [1_000, 4_000], lastingMs: [1_000, longest * 1000], keys, pauseMs, seed });
    tell('engines', result.faults.length === 0, { backend: name, seed, ...result });
  } finally {
    await stopAllEngines();
    await backend.stop();
  }
}
