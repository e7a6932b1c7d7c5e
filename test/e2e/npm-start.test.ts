import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../architecture/workspace.js';
import { cleanEnvironment } from '../support/engine-process.js';
import { waitUntil } from '../support/wait-until.js';

describe('npm start', function () {
  this.timeout(120_000);

  it('serves the tickets application, answers the printed curl, and ends with 0 on Ctrl-C', async () => {
    // A process group of its own, as a terminal gives it: Ctrl-C reaches npm, the script and what it started at once.
    const npm = spawn('npm', ['start'], {
      cwd: ROOT, detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: { ...cleanEnvironment(), HTTP_PORT: '0', WORKER_PORT: '0' },
    });
    const exit = once(npm, 'exit');
    let output = '';
    for (const stream of [npm.stdout, npm.stderr]) stream.setEncoding('utf8').on('data', (text: string) => { output += text; });
    try {
      const curl = await waitUntil(`the printed curl\n${output}`, () => /^ *(curl .+)$/m.exec(output)?.[1]);
      const answer = execFileSync('bash', ['-c', curl.replace('curl -i', 'curl -s -i')], { encoding: 'utf8' });
      expect(answer).to.match(/^HTTP\/1\.1 201 /);
      expect(answer).to.include('"status":"open"');
      process.kill(-(npm.pid ?? 0), 'SIGINT');
      const [code] = await exit;
      expect(code, output).to.equal(0);
    } finally {
      if (npm.exitCode === null && npm.signalCode === null) process.kill(-(npm.pid ?? 0), 'SIGKILL');
    }
  });

  it('uses nothing but what it builds in a fresh clone, where only products are built', () => {
    const script = readFileSync(join(ROOT, 'test/scripts/start.mjs'), 'utf8');
    const setup = readFileSync(join(ROOT, 'test/scripts/setup.mjs'), 'utf8');
    const used = [...script.matchAll(/'\.\.\/\.\.\/([\w/-]+?)\/dist\//g)].map(([, project]) => project);
    const built = /productsOnly \? \[(.+)\] : \[\]/.exec(setup)?.[1] ?? '';
    expect(used).to.include('cli');
    for (const project of used) expect(built).to.include(`'${project}'`);
  });
});
