import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { addFiles, BIN, makeApp, removeApp, runCli, startCli, until } from '../cli.fixture.js';

const CONFIG = `modules:
  - class: modules::http::HttpModule
    config: { port: 0 }
  - class: modules::steps::StepsModule
    config: { port: 0 }
`;
/** Stands for the browser: notes what it is to open. */
const OPENER = '#!/bin/sh\necho "$1" >> "$OPENED"\n';
const LINK = /^ {2}console {2}(http:\/\/127\.0\.0\.1:\d+\/\?t=[\w-]{32})\r?$/m;

describe('treadle dev and the console', function () {
  this.timeout(120_000);
  let folder: string;
  let child: ChildProcess | undefined;
  let output = '';
  beforeEach(() => {
    folder = makeApp({ 'config.yaml': CONFIG, 'bin/xdg-open': OPENER });
    chmodSync(join(folder, 'bin/xdg-open'), 0o755);
  });
  afterEach(async () => {
    if (child && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'close');
    }
    removeApp(folder);
  });

  const opened = (): string => (existsSync(join(folder, 'opened')) ? readFileSync(join(folder, 'opened'), 'utf8') : '');
  const environment = (): Record<string, string> => ({
    PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`, OPENED: join(folder, 'opened'), DISPLAY: ':0', STREAM_PORT: '0', CONSOLE_PORT: '0', CI: '', SSH_CONNECTION: '', SSH_TTY: '',
  });
  /** The link that it prints. */
  async function linkOf(started: ChildProcess): Promise<string> {
    [child, output] = [started, ''];
    for (const stream of [started.stdout, started.stderr]) stream?.on('data', (chunk: Buffer) => { output += chunk.toString('utf8').replaceAll(/\u001b\[[\d;]*m/g, ''); });
    await until(() => LINK.test(output), () => output);
    return LINK.exec(output)?.[1] ?? '';
  }
  const inTerminal = (args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess => {
    const { NODE_OPTIONS: _tsx, ...rest } = process.env;
    return spawn('script', ['-qec', `exec ${process.execPath} ${BIN} dev ${args.join(' ')}`, '/dev/null'], { cwd: folder, env: { ...rest, ...environment(), ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  };

  it('prints one link to the console, which works once', async () => {
    const link = await linkOf(startCli(['dev'], { cwd: folder, env: environment() }));
    expect(output.match(/\?t=/g)).to.have.length(1);
    expect((await fetch(link, { redirect: 'manual' })).status).to.equal(303);
    expect((await fetch(link, { redirect: 'manual' })).status).to.equal(401);
    expect(output, 'its own question is no news').not.to.contain('admin request');
    expect(opened(), 'nobody sits before a pipe').to.equal('');
    const again = await runCli(['console'], { cwd: folder });
    expect(new URL(again.stdout.trim()).origin).to.equal(new URL(link).origin);
  });

  it('names the admin API where the page is off, and `treadle console` says how to serve it', async () => {
    addFiles(folder, { 'config.yaml': `${CONFIG}  - class: modules::console::ConsoleModule\n    config: { page: false }\n` });
    [child, output] = [startCli(['dev'], { cwd: folder, env: environment() }), ''];
    child.stdout?.on('data', (chunk: Buffer) => { output += chunk.toString('utf8'); });
    await until(() => /^ {2}admin {2,}http:\/\/127\.0\.0\.1:\d+$/m.test(output), () => output);
    expect((await runCli(['console'], { cwd: folder })).stderr).to.contain('set "page: true" in the configuration of modules::console::ConsoleModule');
  });

  describe('in a terminal', () => {
    before(function () {
      if (process.platform === 'linux' && spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0) return;
      // The program "script" of util-linux is the terminal.
      if (process.env['CI'] === 'true') throw new Error('needs the program "script" of util-linux');
      this.skip();
    });

    it('opens the link', async () => {
      const link = await linkOf(inTerminal([]));
      await until(() => opened() !== '', () => output);
      expect(opened()).to.equal(`${link}\n`);
    });

    for (const [where, args, env] of [
      ['with --no-open', ['--no-open'], {}], ['in CI', [], { CI: 'true' }], ['over SSH', [], { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }],
    ] as const) {
      it(`only prints it ${where}`, async () => {
        const started = inTerminal(args, env);
        await linkOf(started);
        started.stdin?.write('\u0003');
        await once(started, 'close');
        expect(opened()).to.equal('');
      });
    }
  });
});
