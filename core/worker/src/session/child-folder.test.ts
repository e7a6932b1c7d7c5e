import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

/** The built program: children run JavaScript. */
const CHILD = fileURLToPath(new URL('../../dist/child-main.js', import.meta.url));
/** Of a process that its engine has left; of one that Node itself cannot start. */
const ENDS = [69, 1];

describe('the child process whose folder goes', () => {
  let folder: string;
  let child: ChildProcess;
  beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'treadle-child-')); });
  afterEach(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  it('does not begin when it is gone', async () => {
    const script = 'mkdir "$0" && cd "$0" && rmdir "$0" && exec "$1" "$2"';
    child = spawn('sh', ['-c', script, join(folder, 'gone'), process.execPath, CHILD]);
    let output = '';
    child.stderr?.on('data', (part: Buffer) => { output += String(part); });
    const [code] = await once(child, 'close') as [number];
    expect(code).to.be.oneOf(ENDS);
    expect(output).to.match(/ENOENT|does not exist any more/);
  });

  it('ends also when it goes while the process begins, at whatever moment', async function () {
    this.timeout(300_000);
    // Where the moment was wrong, about one of seventy waited for ever.
    for (let delay = 60; delay < 140; delay += 2) {
      const cwd = mkdtempSync(join(folder, 'leaves-'));
      child = spawn(process.execPath, [CHILD], { cwd, stdio: ['pipe', 'ignore', 'ignore'] });
      const ended = once(child, 'exit');
      child.stdin?.end();
      await new Promise((resolve) => { setTimeout(resolve, delay); });
      rmSync(cwd, { recursive: true });
      expect((await ended)[0]).to.be.oneOf(ENDS);
    }
  });
});
