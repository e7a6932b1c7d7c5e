import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { cleanEnvironment, cliProgram } from '../support/engine-process.js';
import { requireOrSkip } from '../support/requirement.js';
import { tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const SCRIPT = '/usr/bin/script';

/** `treadle create` on a terminal of its own. */
class Terminal {
  /** What the terminal shows, colours taken out. */
  shown = '';
  private readonly child;
  readonly code: Promise<number | null>;

  constructor(cwd: string, args: readonly string[]) {
    const command = [process.execPath, cliProgram(), 'create', ...args].map((word) => `'${word}'`).join(' ');
    // `script` gives the command a terminal, hands its own stdin on to it and ends with its exit code.
    this.child = spawn(SCRIPT, ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
      cwd, env: { ...cleanEnvironment(), TERM: 'xterm', NO_COLOR: undefined }, stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => { this.shown += text.replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, ''); });
    this.code = new Promise((resolve) => { this.child.once('close', resolve); });
  }

  /** Ends it, whatever it waits for. */
  close(): void {
    this.child.kill('SIGKILL');
  }

  /** Types an answer and Enter once the question is shown. */
  async answer(question: string, keys: string): Promise<void> {
    await waitUntil(`"${question}" on the terminal; it shows:\n${this.shown}`, () => this.shown.includes(question));
    this.shown = '';
    this.child.stdin.write(keys);
  }
}

describe('treadle create on a terminal', function () {
  this.timeout(120_000);
  let folder: string;
  const terminals: Terminal[] = [];
  const create = (...args: readonly string[]): Terminal => {
    terminals.push(new Terminal(folder, [...args, '--no-install']));
    return terminals[terminals.length - 1] as Terminal;
  };
  afterEach(() => terminals.splice(0).forEach((terminal) => terminal.close()));
  before(function () { requireOrSkip(this, process.platform === 'linux' && existsSync(SCRIPT), 'the program "script" of util-linux'); });
  beforeEach(() => { folder = tempFolder(); });

  it('asks for name, language and template, and again where the answer is none; arrow keys and names choose', async () => {
    const terminal = create();
    await terminal.answer('Project name:', 'My App\r');
    await terminal.answer('cannot be a project name', 'my-app\r');
    await terminal.answer('3) Python', '\u001b[A\r');
    await terminal.answer('3) full-stack', 'api\r');
    expect(await terminal.code).to.equal(0);
    expect(terminal.shown).to.include('Created my-app (Python, api template)');
    expect(existsSync(join(folder, 'my-app/steps/create_task_step.py'))).to.equal(true);
  });

  it('asks only for what is missing, and Enter takes the first', async () => {
    const terminal = create('shop', '--language', 'js');
    await terminal.answer('3) full-stack', '\r');
    expect(await terminal.code).to.equal(0);
    expect(terminal.shown).to.include('Created shop (JavaScript, basic template)').and.not.include('Language');
    expect(JSON.parse(readFileSync(join(folder, 'shop/package.json'), 'utf8'))).to.include({ name: 'shop' });
  });

  it('asks nothing with --yes', async () => {
    const terminal = create('shop', '--yes');
    expect(await terminal.code).to.equal(0);
    expect(terminal.shown).to.include('Created shop (TypeScript, basic template)').and.not.include('❯');
  });

  for (const [key, keys] of [['Ctrl-C', '\u0003'], ['Ctrl-D', '\u0004']] as const) {
    it(`writes nothing after ${key}`, async () => {
      const terminal = create('shop');
      await terminal.answer('3) Python', keys);
      expect(await terminal.code).to.equal(64);
      expect(terminal.shown).to.include('cancelled');
      expect(existsSync(join(folder, 'shop'))).to.equal(false);
    });
  }
});
