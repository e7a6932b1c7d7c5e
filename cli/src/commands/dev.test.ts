import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, type Server } from 'node:net';
import { expect } from 'chai';
import { addFiles, makeApp, removeApp, runCli, startCli, until } from '../cli.fixture.js';

const CONFIG = `modules:
  - class: modules::http::HttpModule
    config: { port: "\${PORT:0}" }
  - class: modules::steps::StepsModule
    config: { port: 0 }
`;
const STEP = (text: string): string => `
import { http, step } from 'treadle';
export default step({ name: 'Hi', triggers: [http('GET', '/hi')] },
  async () => ({ status: 200, body: { said: '${text}', from: process.env['FROM_FILE'] ?? null } }));
`;

describe('treadle dev', () => {
  let folder: string;
  let child: ChildProcess | undefined;
  let output = '';
  beforeEach(() => { folder = makeApp(); });
  afterEach(async () => {
    if (child && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    removeApp(folder);
  });

  /** Starts it and returns the address of the HTTP server, which its output names. */
  async function dev(args: readonly string[] = [], cwd = folder, env: Readonly<Record<string, string>> = {}, ready = /ready[^]*?(http:\/\/127\.0\.0\.1:\d+)/): Promise<string> {
    output = '';
    child = startCli(['dev', ...args], { cwd, env });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => { output += chunk.toString('utf8'); });
    await until(() => ready.test(output), () => output);
    return ready.exec(output)?.[1] ?? '';
  }

  async function ask(url: string, holds: (answer: unknown) => boolean): Promise<unknown> {
    let answer: unknown;
    await until(async () => {
      const response = await fetch(url).catch(() => undefined);
      answer = response && response.headers.get('content-type')?.includes('json') ? await response.json() : undefined;
      return holds(answer);
    }, () => `${JSON.stringify(answer)}\n${output}`);
    return answer;
  }

  const said = (text: string) => (answer: unknown): boolean => (answer as { said?: string } | undefined)?.said === text;

  it('serves the Steps, reads .env, swaps a saved Step, and drains on Ctrl-C with 0', async () => {
    addFiles(folder, { 'config.yaml': CONFIG, '.env': 'FROM_FILE=file\n', 'steps/hi.step.ts': STEP('one') });
    const url = await dev();
    expect(await ask(`${url}/hi`, said('one'))).to.deep.equal({ said: 'one', from: 'file' });
    addFiles(folder, { 'steps/hi.step.ts': STEP('two') });
    await ask(`${url}/hi`, said('two'));
    child?.kill('SIGINT');
    expect(await once(child as ChildProcess, 'close')).to.deep.equal([0, null]);
  });

  it('ends at once at the second Ctrl-C, with 130', async () => {
    const hangs = STEP('one').replace('async () => (', "async (_, { logger }) => (logger.info('it hangs'), await new Promise(() => undefined), ");
    addFiles(folder, { 'config.yaml': CONFIG, 'steps/hi.step.ts': hangs });
    const url = await dev();
    await until(() => /1 Step/.test(output), () => output);
    const request = fetch(`${url}/hi`).catch(() => undefined);
    await until(() => /it hangs/.test(output), () => output);
    child?.kill('SIGINT');
    await until(() => /stopping \(SIGINT\)/.test(output), () => output);
    // The same signal within 100 ms is one wish.
    await new Promise((resolve) => setTimeout(resolve, 200));
    child?.kill('SIGINT');
    expect(await once(child as ChildProcess, 'close')).to.deep.equal([130, null]);
    await request;
  });

  it('shows what is wrong with a file and where, while the last good version goes on', async () => {
    addFiles(folder, { 'config.yaml': CONFIG, 'steps/hi.step.ts': STEP('one') });
    const url = await dev();
    await ask(`${url}/hi`, said('one'));
    addFiles(folder, { 'steps/hi.step.ts': 'export const nonsense = ;\n' });
    await until(() => /^steps\/hi\.step\.ts:1:\d+ {2}error {2}STEP_SYNTAX {2}/m.test(output), () => output);
    await ask(`${url}/hi`, said('one'));
  });

  it('starts anew when .env changes, and goes on where nothing can start with it', async () => {
    const config = CONFIG.replace('port: 0', 'port: 0, runtimes: [{ class: "modules::runtime::adapters::Node", config: { workers: "${WORKERS:1}" } }]');
    addFiles(folder, { 'config.yaml': config, 'steps/hi.step.ts': STEP('one') });
    await ask(`${await dev()}/hi`, said('one'));
    const again = async (from: string | null): Promise<void> => {
      const url = (): string => /[^]*ready[^]*?(http:\/\/127\.0\.0\.1:\d+)/.exec(output)?.[1] ?? '';
      await until(async () => {
        const answer = await fetch(`${url()}/hi`).then((response) => response.json(), () => undefined) as { from?: string } | undefined;
        return answer !== undefined && answer.from === from;
      }, () => output);
    };
    addFiles(folder, { '.env': 'FROM_FILE=file\n' });
    await again('file');
    expect(output).to.include('environment files changed FROM_FILE; starting anew\n');
    addFiles(folder, { '.env': 'WORKERS=many\nFROM_FILE=other\n' });
    await until(() => /CONFIG_INVALID|error {2}/.test(output), () => output);
    await again('file');
    addFiles(folder, { '.env': '# empty\n' });
    await again(null);
    child?.kill('SIGINT');
    expect(await once(child as ChildProcess, 'close')).to.deep.equal([0, null]);
  });

  for (const [name, isFirst] of [['after', false], ['before', true]] as const) {
    it(`ends on a Ctrl-C that comes ${name} a change of .env, while a handler runs`, async () => {
      const slow = STEP('one').replace('async () => (', 'async () => (console.log("begun"), await new Promise((resolve) => setTimeout(resolve, 4_000)), ');
      addFiles(folder, { 'config.yaml': CONFIG, 'steps/hi.step.ts': slow });
      const url = await dev();
      await until(() => /1 Step/.test(output), () => output);
      const request = fetch(`${url}/hi`).catch(() => undefined);
      await until(() => /begun/.test(output), () => output);
      if (isFirst) child?.kill('SIGINT');
      if (isFirst) await until(() => /stopping \(SIGINT\)/.test(output), () => output);
      addFiles(folder, { '.env': 'FROM_FILE=file\n' });
      if (!isFirst) await until(() => /starting anew/.test(output), () => output);
      if (!isFirst) child?.kill('SIGINT');
      expect(await once(child as ChildProcess, 'close')).to.deep.equal([0, null]);
      await request;
    });
  }

  it('says that .env cannot be read, goes on, and starts anew when it can', async () => {
    addFiles(folder, { 'config.yaml': CONFIG, 'steps/hi.step.ts': STEP('one') });
    const url = await dev();
    symlinkSync('.env', join(folder, '.env'));
    await until(() => /error {2}CONFIG_NOT_READABLE .*ELOOP/.test(output), () => output);
    await ask(`${url}/hi`, said('one'));
    rmSync(join(folder, '.env'));
    addFiles(folder, { '.env': 'FROM_FILE=file\n' });
    await until(() => /changed FROM_FILE; starting anew/.test(output), () => output);
  });

  it('does not override variables that are set, and prefers the environment over .env', async () => {
    addFiles(folder, { 'config.yaml': CONFIG, '.env': 'FROM_FILE=file\n', 'steps/hi.step.ts': STEP('one') });
    const url = await dev([], folder, { FROM_FILE: 'environment' });
    expect(await ask(`${url}/hi`, said('one'))).to.deep.include({ from: 'environment' });
  });

  it('ends with the exit code and the error of a configuration that cannot start', async () => {
    addFiles(folder, { 'config.yaml': 'modules:\n  - class: modules::http::HttpModul\n' });
    const { code, stdout, stderr } = await runCli(['dev'], { cwd: folder });
    expect(code).to.equal(78);
    expect(stdout + stderr).to.include('config.yaml:2:12  error  CONFIG_UNKNOWN_CLASS').and.not.match(/^\s+at /m);
  });

  it('prints what is wrong with the configuration as one JSON document with --json', async () => {
    addFiles(folder, { 'config.yaml': 'modules:\n  - class: modules::http::HttpModul\n' });
    const { code, stdout, stderr } = await runCli(['dev', '--json'], { cwd: folder });
    expect({ code, stderr }).to.deep.equal({ code: 78, stderr: '' });
    expect(JSON.parse(stdout).errors[0]).to.deep.include({ code: 'CONFIG_UNKNOWN_CLASS' });
  });

  it('ends with 69 when its port is taken', async () => {
    const taken = await listen();
    const { port } = taken.address() as { port: number };
    addFiles(folder, { 'config.yaml': CONFIG });
    const { code, stdout, stderr } = await runCli(['dev'], { cwd: folder, env: { PORT: String(port) } });
    taken.close();
    expect(code).to.equal(69);
    expect(stdout + stderr).to.include(`ADDRESS_IN_USE  address 127.0.0.1:${port} is already in use`);
  });

  it('takes the port from --port before the file, and from PORT where the file names none', async () => {
    const [first, second] = [await freePort(), await freePort()];
    addFiles(folder, { 'config.yaml': CONFIG.replace('"${PORT:0}"', '1'), 'steps/a.step.ts': STEP('a') });
    expect(await dev(['--port', String(first)])).to.equal(`http://127.0.0.1:${first}`);
    child?.kill('SIGKILL');
    await once(child as ChildProcess, 'close');
    addFiles(folder, { 'config.yaml': CONFIG.replace('port: "${PORT:0}"', '') });
    expect(await dev([], folder, { PORT: String(second) })).to.equal(`http://127.0.0.1:${second}`);
  });

  it('serves HTTP and streams at the address in HOST, and nothing else', async () => {
    addFiles(folder, { 'config.yaml': CONFIG, 'steps/a.step.ts': STEP('a') });
    await dev([], folder, { HOST: '127.0.0.2' }, /ready[^]*(http:\/\/127\.0\.0\.2:\d+)/);
    const { addresses } = JSON.parse(readFileSync(join(folder, 'data/engine.json'), 'utf8')) as { addresses: Record<string, string> };
    expect([addresses['http'], addresses['stream']].map((address) => new URL(address ?? '').hostname)).to.deep.equal(['127.0.0.2', '127.0.0.2']);
    expect(['console', 'worker-tcp'].map((name) => new URL(addresses[name] ?? '').hostname)).to.deep.equal(['127.0.0.1', '127.0.0.1']);
  });

  it('writes JSON lines with --json', async () => {
    addFiles(folder, { 'config.yaml': CONFIG });
    await dev(['--json']);
    child?.kill('SIGTERM');
    await once(child as ChildProcess, 'close');
    const lines = output.trim().split('\n').map((line) => JSON.parse(line) as { message: string });
    expect(lines.some((line) => line.message === 'ready')).to.equal(true);
  });
});

async function freePort(): Promise<number> {
  const server = await listen();
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

async function listen(): Promise<Server> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
