import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { findPython } from './find-python.js';

describe('findPython', () => {
  let root: string;
  beforeEach(() => { root = mkdtempSync(join(tmpdir(), 'treadle-find-')); });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  /** A command that answers as an interpreter of this version would. */
  const fake = (path: string, version: string): string => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\necho "${version}"\necho "$0"\n`);
    chmodSync(file, 0o755);
    return file;
  };
  const none = { PATH: '/usr/bin/nowhere' };
  const onPath = (): NodeJS.ProcessEnv => ({ PATH: `${join(root, 'bin')}:/bin:/usr/bin` });

  it('prefers what is named, then the application\'s virtual environment, then the command python3', async () => {
    fake('bin/python3', '3 12 1');
    expect(await findPython({ root, env: onPath() })).to.deep.equal({ command: join(root, 'bin/python3'), version: '3.12.1' });
    const own = fake('.venv/bin/python', '3 11 0');
    expect(await findPython({ root, env: onPath() })).to.deep.equal({ command: own, version: '3.11.0' });
    fake('other/python', '3 10 5');
    expect(await findPython({ root, python: 'other/python', env: onPath() })).to.deep.include({ version: '3.10.5' });
    expect(await findPython({ root, python: 'python3', env: onPath() })).to.deep.include({ version: '3.12.1' });
  });

  it('passes over a command that is too old, but not one that was named or lies in the virtual environment', async () => {
    fake('bin/python3', '3 9 18');
    fake('bin/python', '3 13 0');
    expect(await findPython({ root, env: onPath() })).to.deep.include({ version: '3.13.0' });
    expect(await findPython({ root, python: 'python3', env: onPath() })).to.deep.equal({ problem: 'Python 3.10 or newer is needed; "python" names python3, which is Python 3.9.18' });
    const own = fake('.venv/bin/python', '2 7 18');
    expect(await findPython({ root, env: onPath() })).to.deep.equal({ problem: `Python 3.10 or newer is needed; ${own} is Python 2.7.18` });
  });

  it('says what it has looked for when there is none, and what is none', async () => {
    expect(await findPython({ root, env: none })).to.deep.equal({
      problem: 'Python 3.10 or newer is needed; there is no .venv in the application\'s folder, and python3 does not exist, python does not exist',
    });
    writeFileSync(join(root, 'x'), '');
    expect(await findPython({ root, python: './x', env: none })).to.deep.equal({ problem: 'Python 3.10 or newer is needed; "python" names ./x, which cannot be executed' });
    fake('y', 'hello');
    expect(await findPython({ root, python: './y', env: none })).to.deep.equal({ problem: 'Python 3.10 or newer is needed; "python" names ./y, which is no Python interpreter' });
  });
});
