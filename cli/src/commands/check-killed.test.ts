import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { addFiles, makeApp, removeApp, startCli, until } from '../cli.fixture.js';

describe('treadle check that is ended', function () {
  this.timeout(120_000);
  let folder: string;
  beforeEach(() => { folder = makeApp(); });
  afterEach(() => removeApp(folder));

  it('takes a Step file that blocks its process along when it is ended', async () => {
    addFiles(folder, { 'steps/a.step.js': "import { writeFileSync } from 'node:fs';\nwriteFileSync('pid', String(process.pid));\nfor (;;) {}\n" });
    const child = startCli(['check'], { cwd: folder });
    const file = join(folder, 'pid');
    while (!existsSync(file) || readFileSync(file, 'utf8') === '') await wait(20);
    child.kill('SIGTERM');
    expect((await once(child, 'close'))[0]).to.equal(143);
    const pid = Number(readFileSync(file, 'utf8'));
    await until(() => !isAlive(pid));
  });

  for (const [file, text] of [
    ['steps/a.step.js', "import { writeFileSync } from 'node:fs';\nwriteFileSync('pid', String(process.pid));\nfor (;;) {}\n"],
    ['steps/a_step.py', "import os\nwith open('pid', 'w') as file:\n    file.write(str(os.getpid()))\nwhile True:\n    pass\n"],
  ] as const) {
    it(`leaves no process behind that ${file} blocks when it is killed`, async () => {
      addFiles(folder, { [file]: text });
      const child = startCli(['check'], { cwd: folder });
      const written = join(folder, 'pid');
      while (!existsSync(written) || readFileSync(written, 'utf8') === '') await wait(20);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const pid = Number(readFileSync(written, 'utf8'));
      const left = await until(() => !isAlive(pid)).catch((error: unknown) => error);
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      expect(left).to.equal(undefined);
    });
  }
});

function isAlive(pid: number): boolean {
  try {
    // A zombie that its new parent has not reaped yet still takes signals, but runs no more.
    return process.kill(pid, 0) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}
