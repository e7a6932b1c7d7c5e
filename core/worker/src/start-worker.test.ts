import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { AppFolder } from './runner.fixture.js';
import { FakeEngine } from './session/fake-engine.fixture.js';
import { startWorker, type WorkerHandle } from './start-worker.js';

/** A handler takes so many milliseconds, or until a file is there. */
const STEP = "import { existsSync } from 'node:fs';\nexport const config = { name: 'A', triggers: [{ type: 'http', method: 'GET', path: '/a' }] };\nexport const handler = async (input) => { await new Promise((done) => setTimeout(done, Number(input.query.ms ?? 0))); while (input.query.until && !existsSync(input.query.until)) await new Promise((done) => setTimeout(done, 5)); return { status: 200, body: input.path }; };\n";
const PROGRAM = fileURLToPath(new URL('../bin/treadle-worker.js', import.meta.url));

describe('a worker that is started by hand', () => {
  let app: AppFolder;
  let engine: FakeEngine;
  let worker: WorkerHandle | undefined;
  let child: ChildProcessByStdio<null, Readable, Readable> | undefined;
  const status: string[] = [];

  beforeEach(() => {
    app = new AppFolder({ 'steps/a.step.js': STEP, 'package.json': '{ "name": "shop", "type": "module" }' });
    engine = new FakeEngine();
    status.length = 0;
  });
  afterEach(async () => {
    await engine.close();
    await worker?.stop();
    if (child?.exitCode === null) child.kill('SIGKILL');
    worker = child = undefined;
    app.remove();
  });

  const start = async (url: string, options: object = {}): Promise<void> => {
    worker = await startWorker({ root: app.root, url, token: engine.token, onStatus: (message) => status.push(message), ...options });
  };

  it('finds its files, registers the whole catalog and serves', async () => {
    await start(await engine.listen());
    const session = await engine.session();
    expect(engine.hellos[0]).to.deep.include({ role: 'main', application: basename(app.root), root: app.root, token: engine.token });
    const { reports, complete } = await session.first('register');
    expect([reports.map(({ file }) => file), complete]).to.deep.equal([['steps/a.step.js'], true]);
    expect(await session.json(session.invoke('A', { path: '/x' }))).to.equal('/x');
  });

  it('says which build of which application it serves, as the lock file tells', async () => {
    app.write('treadle.lock.json', '{ "name": "shop", "build": "1" }');
    app.write('dist/treadle.lock.json', '{ "name": "shop", "build": "2" }');
    const url = await engine.listen();
    await start(url);
    await engine.session();
    await worker?.stop();
    await start(url, { mode: 'development' });
    await engine.session(1);
    expect(engine.hellos.filter(({ role }) => role === 'main').map(({ application, build }) => [application, build])).to.deep.equal([['shop', '2'], ['shop', undefined]]);
  });

  it('does not call its catalog complete when files of other languages are served elsewhere', async () => {
    app.write('steps/b_step.py', '');
    await start(await engine.listen());
    expect((await (await engine.session()).first('register')).complete).to.equal(false);
  });

  it('serves the handlers of a build without any file', async () => {
    const exports = { config: { name: 'Built', triggers: [{ type: 'http', method: 'GET', path: '/b' }] }, handler: () => ({ status: 200, body: 'built' }) };
    await start(await engine.listen(), { build: 'b1', application: 'other', load: () => Promise.resolve([{ file: 'steps/b.step.ts', version: 'v1', exports, line: 3 }]) });
    const session = await engine.session();
    expect(engine.hellos[0]).to.deep.include({ build: 'b1', application: 'other' });
    expect((await session.first('register')).reports).to.deep.equal([{ file: 'steps/b.step.ts', version: 'v1', steps: [{ config: exports.config, line: 3 }] }]);
    expect(await session.json(session.invoke('Built'))).to.equal('built');
  });

  it('comes back after the engine was gone, with the whole catalog', async () => {
    const url = await engine.listen();
    await start(url);
    await (await engine.session()).first('register');
    const port = Number(new URL(url).port);
    await engine.close();
    engine = new FakeEngine();
    await engine.listen(port);
    const session = await engine.session();
    await session.first('register');
    expect(await session.json(session.invoke('A', { path: '/again' }))).to.equal('/again');
    expect(status.some((message) => message.includes('next attempt in'))).to.equal(true);
  });

  it('finishes what runs when the engine drains, and waits for the next engine', async () => {
    await start(await engine.listen());
    const session = await engine.session();
    await session.first('register');
    const id = session.invoke('A', { query: { ms: '50' } });
    session.send({ type: 'drain', deadlineMs: 1_000 });
    expect(await session.json(id)).to.equal('/a');
    expect(await session.closed()).to.equal(1000);
    await (await engine.session(1)).first('register');
  });

  it('comes back once when the engine goes before what runs has finished', async () => {
    await start(await engine.listen());
    const session = await engine.session();
    await session.first('register');
    session.invoke('A', { query: { until: join(app.root, 'go') } });
    session.send({ type: 'drain', deadlineMs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    session.close();
    await (await engine.session(1)).first('register');
    app.write('go', '');
    // The handler has long ended when another attempt would have been made.
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect([engine.sessions.length, status.filter((message) => message.includes('next attempt')).length]).to.deep.equal([2, 1]);
  });

  it('asks nothing of an engine in the name of a call that another one has made', async () => {
    const body = "export const handler = async (input, { state }) => { if (input.query.ms) { await new Promise((done) => setTimeout(done, Number(input.query.ms))); await state.set('g', 'k', 1).catch(() => undefined); } else await new Promise((done) => setTimeout(done, 1_000)); return { status: 200 }; };\n";
    app.write('steps/a.step.js', STEP.replace(/export const handler[^]*/, body));
    await start(await engine.listen());
    const session = await engine.session();
    await session.first('register');
    session.invoke('A', { query: { ms: '300' } });
    await new Promise((resolve) => setTimeout(resolve, 20));
    session.close();
    const next = await engine.session(1);
    await next.first('register');
    next.invoke('A');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(next.received.filter(({ type }) => type === 'call')).to.deep.equal([]);
  });

  it('asks nothing of the next engine for a handler that has answered and left a promise behind', async () => {
    const body = `export const handler = async (input, { state }) => {
      const until = async (name) => { while (!existsSync(name)) await new Promise((done) => setTimeout(done, 5)); };
      if (!input.query.late) await until('answer');
      else void until(input.query.late).then(() => state.set('g', 'k', 1)).catch((error) => writeFileSync(input.query.told, error.code));
      return { status: 200 };
    };\n`;
    app.write('steps/a.step.js', STEP.replace('existsSync', 'existsSync, writeFileSync').replace(/export const handler[^]*/, body.replace("'answer'", JSON.stringify(join(app.root, 'answer')))));
    await start(await engine.listen());
    const session = await engine.session();
    await session.first('register');
    const [late, told] = [join(app.root, 'late'), join(app.root, 'told')];
    const id = session.invoke('A', { query: { late, told } });
    await session.result(id);
    session.close();
    const next = await engine.session(1);
    await next.first('register');
    expect(next.invoke('A')).to.equal(id);
    app.write('late', '');
    await until(() => existsSync(told) || next.received.some(({ type }) => type === 'call'));
    app.write('answer', '');
    expect((await next.result(id)).http?.status).to.equal(200);
    expect(next.received.filter(({ type }) => type === 'call')).to.deep.equal([]);
    expect(readFileSync(told, 'utf8')).to.equal('EngineLost');
  });

  it('leaves in order: serves nothing new, finishes what runs, says goodbye', async () => {
    await start(await engine.listen());
    const session = await engine.session();
    await session.first('register');
    const id = session.invoke('A', { query: { ms: '50' } });
    await new Promise((resolve) => setTimeout(resolve, 20));
    const stopped = worker?.stop();
    await session.first('register', ({ reports }) => reports.length === 0);
    expect(await session.json(id)).to.equal('/a');
    // The engine had not read the registration yet when it sent this one.
    expect(await session.json(session.invoke('A', { path: '/late' }))).to.equal('/late');
    session.send({ type: 'drain', deadlineMs: 1_000 });
    expect(await session.closed()).to.equal(1000);
    await stopped;
    expect(await worker?.ended).to.equal(undefined);
  });

  it('leaves an engine that does not answer', async function slow() {
    this.timeout(180_000);
    await start(await engine.listen());
    const session = await engine.session();
    await session.first('register');
    const stopped = worker?.stop();
    expect(await session.closed()).to.equal(1000);
    await stopped;
  });

  it('goes on trying when its token is refused, for the token may change', async () => {
    engine.refusal = { code: 'bad_token', message: 'not the token of this engine', close: 4001 };
    await start(await engine.listen());
    while (engine.hellos.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(status[0]).to.match(/^the engine refused this worker \(bad_token\): not the token of this engine; next attempt in \d\.\d s$/);
  });

  it('gives up when the engine speaks another version', async () => {
    engine.refusal = { code: 'protocol_version', message: 'this engine speaks protocol 2', close: 4002 };
    await start(await engine.listen());
    expect(await worker?.ended).to.equal('this engine speaks protocol 2');
  });

  describe('as the program treadle-worker', () => {
    let output = '';

    function run(env: Record<string, string>, args: readonly string[] = []): void {
      child = spawn(process.execPath, [PROGRAM, ...args], { cwd: app.root, stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'] ?? '', ...env } });
      output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => { output += String(part); });
    }
    const exit = async (): Promise<unknown> => child?.exitCode ?? ((await once(child as never, 'exit')) as unknown[])[0];

    it('takes ENGINE_URL and ENGINE_TOKEN, keeps the token from handlers, and ends with SIGTERM', async () => {
      app.write('steps/b.step.js', "export const config = { name: 'B', triggers: [{ type: 'http', method: 'GET', path: '/b' }] };\nexport const handler = () => { console.log('printed'); return { status: 200, body: Object.keys(process.env) }; };\n");
      app.write('steps/broken.step.js', 'export const config = (;\n');
      run({ ENGINE_URL: (await engine.listen()).replace('ws:', 'http:'), ENGINE_TOKEN: engine.token, ADMIN_TOKEN: 'for-operators' });
      const session = await engine.session();
      expect((await session.first('register')).complete).to.equal(false);
      expect(await session.json(session.invoke('B'))).to.include('ENGINE_URL').and.not.to.include.oneOf(['ENGINE_TOKEN', 'ADMIN_TOKEN']);
      expect(await session.first('log')).to.include({ message: 'printed', stepName: 'B' });
      for (const text of ['printed\n', 'treadle-worker: steps/broken.step.js:1:24  Unexpected ";"']) {
        while (!output.includes(text)) await new Promise((resolve) => setTimeout(resolve, 5));
      }
      child?.kill('SIGTERM');
      expect(await exit()).to.equal(0);
      expect(await session.closed()).to.equal(1000);
    });

    it('reads engine.json and worker.token otherwise', async () => {
      const url = await engine.listen();
      app.write('elsewhere/engine.json', JSON.stringify({ id: 'a'.repeat(16), lock: 'a.sock', addresses: { 'worker-tcp': url } }));
      app.write('elsewhere/worker.token', engine.token);
      cpSync(join(app.root, 'steps'), join(app.root, 'app/steps'), { recursive: true });
      run({ TREADLE_DATA_DIR: 'elsewhere' }, ['app']);
      await (await engine.session()).first('register');
      expect(engine.hellos[0]).to.include({ token: engine.token, root: join(app.root, 'app') });
    });

    it('ends with 69 when the engine speaks another version', async () => {
      engine.refusal = { code: 'protocol_version', message: 'this engine speaks protocol 2', close: 4002 };
      run({ ENGINE_URL: await engine.listen(), ENGINE_TOKEN: engine.token });
      expect(await exit()).to.equal(69);
      expect(output).to.equal('treadle-worker: this engine speaks protocol 2\n');
    });

    it('ends with 64 when ENGINE_URL is no address', async () => {
      run({ ENGINE_URL: 'engine.example:3110', ENGINE_TOKEN: 'x' });
      expect(await exit()).to.equal(64);
      expect(output).to.equal('treadle-worker: ENGINE_URL "engine.example:3110" is no ws, wss, http or https URL\n');
    });

    it('explains itself', async () => {
      run({}, ['--help']);
      expect(await exit()).to.equal(0);
      expect(output).to.contain('ENGINE_TOKEN');
    });
  });
});

async function until(condition: () => boolean): Promise<void> {
  for (const limit = Date.now() + 60_000; !condition();) {
    if (Date.now() > limit) throw new Error(`not within 60 s: ${condition.toString()}`);
    await new Promise((resolve) => { setTimeout(resolve, 5); });
  }
}
