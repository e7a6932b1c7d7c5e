// npm run campaign:create: the journey of all nine, each from an empty folder with an install and an npm cache of its own.
// RELEASE_REGISTRY and RELEASE_VERSION name what was published already; without them this checkout is published locally.
import { LocalRegistry } from '../registry/local-registry.js';
import { publishWorkspace } from '../registry/publish-workspace.js';
import { cleanEnvironment } from '../support/engine-process.js';
import { tempFolder } from '../support/temp-folder.js';
import { ALL_COMBINATIONS, type Combination } from './combination.js';
import { travel } from './journey.js';
import { stopAllUserProcesses } from './user-process.js';

/** Seconds to the first answer, everything installed. @source "Must show" of the product: no native driver has to compile */
const LIMIT_S = 60;

const { RELEASE_REGISTRY, RELEASE_VERSION: version, ONLY } = process.env;
const registry = RELEASE_REGISTRY === undefined ? await LocalRegistry.start() : undefined;
let failures = 0;
try {
  if (registry) await publishWorkspace(registry);
  for (const combination of ALL_COMBINATIONS) {
    if (ONLY === undefined || ONLY === nameOf(combination)) failures += await one(combination) ? 0 : 1;
  }
} finally {
  await stopAllUserProcesses();
  await registry?.stop();
}
process.exitCode = failures > 0 ? 1 : 0;

async function one(combination: Combination): Promise<boolean> {
  const home = tempFolder();
  const env = registry?.environment(home) ?? { ...cleanEnvironment(), npm_config_registry: RELEASE_REGISTRY, npm_config_cache: home };
  const started = performance.now();
  try {
    const { firstAnswerS } = await travel(combination, { folder: tempFolder(), env, ...version === undefined ? {} : { version } });
    const inTime = firstAnswerS <= LIMIT_S;
    const total = ((performance.now() - started) / 1000).toFixed(0);
    console.log(`${nameOf(combination).padEnd(14)} first answer after ${firstAnswerS.toFixed(1).padStart(5)} s, production after ${total.padStart(3)} s${inTime ? '' : `  OVER ${LIMIT_S} s`}`);
    return inTime;
  } catch (error) {
    console.log(`${nameOf(combination).padEnd(14)} FAILED ${(error as Error).message}`);
    return false;
  }
}

function nameOf({ language, template }: Combination): string {
  return `${template}/${language}`;
}
