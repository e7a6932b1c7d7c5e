import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { findPython, OLDEST } from './find-python.js';
import { PYTHON_PATH } from './python-package.js';

const run = promisify(execFile);

describe('the Python package', function python() {
  this.timeout(120_000);
  let command: string;
  before(async () => {
    const found = await findPython({ root: PYTHON_PATH });
    if ('problem' in found) throw new Error(found.problem);
    command = found.command;
  });
  const start = (args: readonly string[], cwd = PYTHON_PATH): Promise<{ stdout: string; stderr: string }> =>
    run(command, args, { cwd, env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' } });

  /** What `unittest` said of the tests that failed, whole; empty where all passed. */
  const failures = (stderr: string): string => {
    if (/\nRan \d+ tests in [\d.]+s\n\nOK/.test(stderr)) return '';
    const first = stderr.indexOf('\n======');
    return first === -1 ? stderr.slice(-10_000) : stderr.slice(first, first + 10_000);
  };

  it('passes its own tests', async () => {
    const { stderr } = await start(['-W', 'error::DeprecationWarning', '-m', 'unittest', 'discover']).catch((error: { stderr: string }) => error);
    if (failures(stderr) !== '') throw new Error(failures(stderr));
  });

  it('has the version of this package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
    expect((await start(['-c', 'import treadle; print(treadle.__version__)'])).stdout.trim()).to.equal(version);
  });

  it('imports nothing but the standard library', async () => {
    const program = 'import sys\nbefore = set(sys.modules)\nimport treadle, treadle.worker.child, treadle.worker.__main__\n'
      + 'print(sorted({name.partition(".")[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)))';
    expect((await start(['-S', '-c', program])).stdout.trim()).to.equal("['treadle']");
  });

  it('passes its own tests with the oldest Python that runs Steps, where it is there', async function () {
    const oldest = await findPython({ root: PYTHON_PATH, python: `python${OLDEST.join('.')}` });
    if ('problem' in oldest) return this.skip();
    const { stderr } = await run(oldest.command, ['-m', 'unittest', 'discover'], { cwd: PYTHON_PATH, env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' } })
      .catch((error: { stderr: string }) => error);
    expect(oldest.version).to.match(new RegExp(`^${OLDEST.join('\\.')}\\.`));
    if (failures(stderr) !== '') throw new Error(failures(stderr));
  });

  it('has type hints that hold, where mypy is there to say so', async function () {
    const isThere = await start(['-c', 'import mypy']).then(() => true, () => false);
    if (!isThere) return this.skip();
    const { stdout } = await start(['-m', 'mypy', '--cache-dir', '/dev/null']).catch((error: { stdout: string }) => error);
    expect(stdout).to.match(/^Success/);
  });
});
