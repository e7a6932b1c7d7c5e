import { execFileSync } from 'node:child_process';
import { cleanEnvironment } from '../support/engine-process.js';

/** Ours are only what was published here; all else comes from the registry that this machine is set to. */
const OWN = ['treadle', '@treadle/*'];

/** The file that verdaccio reads (JSON is YAML); `storage` is an absolute path. */
export function verdaccioConfig(storage: string): string {
  const own = { access: '$all', publish: '$authenticated', unpublish: '$authenticated' };
  return JSON.stringify({
    storage,
    auth: { htpasswd: { file: `${storage}/htpasswd`, max_users: 10 } },
    uplinks: { machine: { url: machineRegistry(), maxage: '30m', timeout: '60s', max_fails: 20, fail_timeout: '1s', cache: true } },
    packages: { ...Object.fromEntries(OWN.map((name) => [name, own])), '**': { access: '$all', proxy: 'machine' } },
    web: { enable: false },
    max_body_size: '50mb',
    log: { type: 'stdout', format: 'json', level: 'warn' },
  });
}

/** The registry of the machine's npm; read when needed and written to temporary files only. */
function machineRegistry(): string {
  return execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8', env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}
