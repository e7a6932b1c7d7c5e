// npm run campaign:create: the journey of all nine with npm, pnpm and yarn, each from an empty folder with an install and a cache of its own.
// ONLY=api/py,full-stack/ts are some of the nine, MANAGERS=npm,pnpm,yarn the package managers.
// RELEASE_REGISTRY and RELEASE_VERSION name what was published already; without them this checkout is published locally.
import { LocalRegistry } from '../registry/local-registry.js';
import { publishWorkspace } from '../registry/publish-workspace.js';
import { cleanEnvironment } from '../support/engine-process.js';
import { tempFolder } from '../support/temp-folder.js';
import { ALL_COMBINATIONS, type Combination } from './combination.js';
import { travel } from './journey.js';
import { MANAGERS, withOtherManagers, type Manager } from './other-managers.js';
import { stopAllUserProcesses } from './user-process.js';

/** Seconds to the first answer, everything installed. @source "Must show" of the product: no native driver has to compile */
const LIMIT_S = 60;

const { RELEASE_REGISTRY, RELEASE_VERSION: version, ONLY, MANAGERS: chosen = MANAGERS.join(',') } = process.env;
const registry = RELEASE_REGISTRY === undefined ? await LocalRegistry.start() : undefined;
let failures = 0;
try {
  if (registry) await publishWorkspace(registry);
  for (const combination of ALL_COMBINATIONS) {
    if (ONLY !== undefined && !ONLY.split(',').includes(nameOf(combination))) continue;
    for (const manager of chosen.split(',') as Manager[]) failures += await arrives(combination, manager) ? 0 : 1;
  }
} finally {
  await stopAllUserProcesses();
  await registry?.stop();
}
process.exitCode = failures > 0 ? 1 : 0;

async function arrives(combination: Combination, manager: Manager): Promise<boolean> {
  const name = `${nameOf(combination)} ${manager}`.padEnd(20);
  const home = tempFolder();
  const env = manager === 'npm' ? environment(home) : withOtherManagers(environment(home), home);
  const started = performance.now();
  try {
    const { firstAnswerS } = await travel(combination, { folder: tempFolder(), env, manager, ...version === undefined ? {} : { version } });
    const inTime = firstAnswerS <= LIMIT_S;
    const total = ((performance.now() - started) / 1000).toFixed(0);
    console.log(`${name} first answer after ${firstAnswerS.toFixed(1).padStart(5)} s, production after ${total.padStart(3)} s${inTime ? '' : `  OVER ${LIMIT_S} s`}`);
    return inTime;
  } catch (error) {
    console.log(`${name} FAILED ${(error as Error).message}`);
    return false;
  }
}

/** Of somebody with a fresh machine, whose home is that folder. */
function environment(home: string): NodeJS.ProcessEnv {
  return registry?.environment(home) ?? { ...cleanEnvironment(), npm_config_registry: RELEASE_REGISTRY, npm_config_cache: home };
}

function nameOf({ language, template }: Combination): string {
  return `${template}/${language}`;
}
