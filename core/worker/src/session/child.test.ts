import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { discoverStepFiles } from '../discover.js';
import { AppFolder, TRACEPARENT } from '../runner.fixture.js';
import { FakeEngine, type FakeSession } from './fake-engine.fixture.js';

/** The built program: children run JavaScript. */
const CHILD = fileURLToPath(new URL('../../dist/child-main.js', import.meta.url));
const step = (name: string, handler: string, imports = ''): string =>
  `${imports}\nexport const config = { name: '${name}', triggers: [{ type: 'http', method: 'GET', path: '/${name}' }, { type: 'queue', topic: 't' }], enqueues: ['t'] };\nexport const handler = ${handler};\n`;

describe('the child process', () => {
  let folder: string;
  let app: AppFolder;
  let engine: FakeEngine;
  let child: ChildProcessByStdio<Writable, Readable, Readable>;
  let output: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'treadle-child-'));
    engine = new FakeEngine();
  });
  afterEach(async () => {
    if (child?.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await engine.close();
    app.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts a child with these Steps and waits until they are registered. */
  async function started(files: Record<string, string>, extra: object = {}): Promise<FakeSession> {
    app = new AppFolder(files);
    return begin(await engine.listen(join(folder, 'w.sock')), extra);
  }

  async function begin(socketUrl: string, extra: object = {}, index = 0, program = [CHILD]): Promise<FakeSession> {
    child = spawn(process.execPath, program, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ENGINE_TOKEN: 'secret', NODE_OPTIONS: '' } });
    output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => { output += String(part); });
    child.stdin.write(`${JSON.stringify({ socketUrl, token: engine.token, childId: 'c1', root: app.root, mode: 'development', ...extra })}\n`);
    const session = await engine.session(index);
    session.send({ type: 'load', files: await discoverStepFiles(app.root) });
    await session.first('register');
    return session;
  }

  async function exit(): Promise<number | string | null> {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return child.exitCode ?? child.signalCode;
  }

  it('says hello, loads what it is told, runs it and leaves after drain with 0', async () => {
    const session = await started({ 'steps/a.step.ts': step('A', 'async (): Promise<unknown> => { await new Promise((done) => setTimeout(done, 50)); return { status: 200, body: { ok: true } }; }') });
    expect(engine.hellos[0]).to.deep.include({ role: 'main', protocol: 1, runtime: 'node', runtimeVersion: process.version, token: engine.token, childId: 'c1', pid: child.pid, root: app.root });
    const { reports, complete } = await session.first('register');
    expect(complete).to.equal(true);
    expect(reports.map(({ file, steps }) => [file, steps.length])).to.deep.equal([['steps/a.step.ts', 1]]);
    const id = session.invoke('A');
    session.send({ type: 'ping' }, { type: 'drain', deadlineMs: 5_000 });
    expect(await session.json(id)).to.deep.equal({ ok: true });
    await session.first('pong');
    expect(await session.closed()).to.equal(1000);
    expect(await exit()).to.equal(0);
    expect(output).to.equal('');
  });

  it('does not let handlers see the engine\'s token', async () => {
    const session = await started({ 'steps/a.step.ts': step('A', '() => ({ status: 200, body: JSON.stringify([process.env, process.argv, process.execArgv]) })') });
    const seen = String(await session.json(session.invoke('A')));
    expect(seen).not.to.contain('secret').and.not.to.contain('the-token').and.not.to.contain('ENGINE_TOKEN');
    expect(seen).to.contain('PATH');
  });

  it('answers all of a turn in one frame, each with what the handler returned at that moment', async () => {
    const session = await started({ 'steps/a.step.ts': step('A', '() => { stats.n++; return { status: 200, body: stats }; }', 'const stats = { n: 0 };') });
    const before = session.frames.length;
    const invoke = (id: number): object => ({ type: 'invoke', id, step: 'A', trigger: { type: 'http', index: 0 }, input: { method: 'GET', path: '/A', headers: {} }, traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00`, timeoutMs: 1_000, attempt: 1 });
    session.sendText(JSON.stringify(Array.from({ length: 50 }, (_, n) => invoke(100 + n))));
    await session.result(149);
    expect(session.frames.length - before).to.equal(1);
    expect(await session.json(100)).to.deep.equal({ n: 1 });
    expect(await session.json(149)).to.deep.equal({ n: 50 });
  });

  it('calls operations of the engine with the arguments as they were', async () => {
    const session = await started({ 'steps/a.step.ts': step('A', 'async (_input: unknown, ctx: any): Promise<unknown> => { const value = { n: 1 }; const set = ctx.state.set("g", "k", value); value.n = 2; const stored = await set; try { await ctx.enqueue({ topic: "t", data: 1 }); } catch (error: any) { return { status: 200, body: [stored, error.code, error.message] }; } }') });
    const id = session.invoke('A');
    const set = await session.first('call');
    expect(set).to.deep.include({ id, op: 'state.set', args: { group: 'g', key: 'k', value: { n: 1 } } });
    session.send({ type: 'reply', call: set.call, value: { n: 1 } });
    const enqueue = await session.first('call', ({ op }) => op === 'queue.enqueue');
    session.send({ type: 'reply', call: enqueue.call, error: { code: 'OPERATION_UNAVAILABLE', message: 'no queue module' } });
    expect(await session.json(id)).to.deep.equal([{ n: 1 }, 'OPERATION_UNAVAILABLE', 'no queue module']);
  });

  it('refuses arguments and cuts logs that no frame could carry, and goes on', async () => {
    const session = await started({ 'steps/a.step.ts': step('A', 'async (_input: unknown, ctx: any): Promise<unknown> => { ctx.logger.info("x".repeat(2e7), { text: "y".repeat(2e7) }); const error = await ctx.state.set("g", "k", "x".repeat(2e7)).catch((reason: unknown) => reason); return { status: 200, body: [error.code, error.message] }; }') });
    const id = session.invoke('A');
    expect(await session.json(id)).to.deep.equal(['ValueTooLarge', 'the arguments of state.set have 20000034 bytes; at most 16773120 can be sent']);
    const log = await session.first('log');
    expect([log.message.length, log.fields]).to.deep.equal([65_536, { dropped: 'the fields were too large' }]);
  });

  it('carries large bodies as streams in both directions', async () => {
    const session = await started({
      'steps/a.step.ts': step('A', '(input: any) => ({ status: 200, body: input.body })'),
      'steps/b.step.ts': step('B', '(input: any) => ({ status: 200, headers: { "content-type": "text/plain" }, body: input.body.text })'),
      'steps/c.step.ts': step('C', '(input: any) => ({ status: 200, body: Buffer.from(input.body.text) })'),
    });
    const body = { text: 'ä'.repeat(400_000) };
    const streamOf = (): number => session.streams.send(Readable.from([Buffer.from(JSON.stringify(body))], { objectMode: false }));
    for (const [name, as, expected] of [['A', 'json', JSON.stringify(body)], ['B', 'text', body.text], ['C', 'bytes', body.text]] as const) {
      const id = session.invoke(name, { method: 'POST', body: { kind: 'stream', stream: 0, as: 'json' } }, { streams: [streamOf()] });
      const { http } = await session.result(id);
      if (http?.body?.kind !== 'stream') throw new Error('not streamed');
      expect(http.body.as).to.equal(as);
      const parts: Buffer[] = [];
      for await (const part of session.bodies.get(id) as Readable) parts.push(part as Buffer);
      expect(Buffer.concat(parts).toString() === expected).to.equal(true);
    }
    for (const frame of session.frames) expect(Buffer.byteLength(frame)).to.be.at.most(1024 * 1024);
  });

  it('stops a streamed answer when the client has gone', async () => {
    const session = await started({ 'steps/a.step.ts': step('A', '(_input: unknown, ctx: any) => sse(async (send) => { ctx.signal.addEventListener("abort", () => ctx.logger.info("stopped", { reason: ctx.signal.reason.message })); for (let n = 0; ; n++) { await send({ n }); await new Promise((done) => setTimeout(done, 5)); } })', "import { sse } from 'treadle';") });
    const id = session.invoke('A');
    const { http } = await session.result(id);
    expect(http?.headers).to.include({ 'content-type': 'text/event-stream' });
    await session.first('chunk');
    session.send({ type: 'cancel', id, reason: 'client_gone' });
    expect(await session.first('log')).to.deep.include({ message: 'stopped', stepName: 'A', fields: { reason: 'the handler was cancelled: client_gone' } });
    session.send({ type: 'drain', deadlineMs: 1_000 });
    expect(await exit()).to.equal(0);
  });

  it('takes what handlers print into the log, with their Step, and leaves the rest on stdout', async () => {
    const session = await started({ 'steps/a.step.ts': step('A', '() => { console.log("one\\ntwo"); console.warn("careful"); console.error("bad"); process.stdout.write("a\\nb\\nno end"); }', 'console.log("while loading");') });
    const id = session.invoke('A');
    await session.result(id);
    const logs = session.received.filter((message) => message.type === 'log');
    expect(logs.map((log) => [log.id, log.level, log.message, log.fields?.['stream'], log.stepName])).to.deep.equal([
      [id, 'info', 'one\ntwo', 'stdout', 'A'], [id, 'warn', 'careful', 'stderr', 'A'], [id, 'error', 'bad', 'stderr', 'A'],
      [id, 'info', 'a', 'stdout', 'A'], [id, 'info', 'b', 'stdout', 'A'], [id, 'info', 'no end', 'stdout', 'A'],
    ]);
    expect(output).to.equal('while loading\n');
  });

  it('sends what a handler printed right before its process dies', async () => {
    const session = await started({ 'steps/a.step.ts': step('A', '() => { console.log("last words"); setImmediate(() => process.kill(process.pid, "SIGKILL")); return new Promise(() => undefined); }') });
    session.invoke('A');
    expect((await session.first('log')).message).to.equal('last words');
    await exit();
    expect(session.received.some(({ type }) => type === 'result')).to.equal(false);
  });

  it('fails the handler whose rejection nobody handles, and no other', async () => {
    const session = await started({
      'steps/a.step.ts': step('A', 'async (): Promise<unknown> => { void (async () => { await null; throw new RangeError("stray"); })(); await new Promise((done) => setTimeout(done, 1000)); return { status: 200 }; }'),
      'steps/b.step.ts': step('B', 'async (): Promise<unknown> => { await new Promise((done) => setTimeout(done, 100)); return { status: 200, body: "fine" }; }'),
    });
    const innocent = session.invoke('B');
    session.invoke('A');
    const log = await session.first('log');
    expect(log).to.deep.include({ level: 'error', message: 'a promise was rejected and nobody handled it', stepName: 'A' });
    expect(JSON.stringify(log.fields)).to.contain('stray').and.to.contain('a.step.ts');
    expect(await session.first('error')).to.deep.include({ code: 'unhandled_exception', name: 'RangeError', message: 'stray' });
    expect(await session.json(innocent)).to.equal('fine');
  });

  it('swaps a changed Step and reports the whole catalog again', async () => {
    const session = await started({ 'steps/a.step.ts': step('A', '() => ({ status: 200, body: 1 })'), 'steps/b.step.ts': step('B', '() => undefined') });
    app.write('steps/a.step.ts', step('A', '() => ({ status: 200, body: 2 })'));
    session.received.length = 0;
    session.send({ type: 'load', files: await discoverStepFiles(app.root) });
    expect((await session.first('register')).reports.map(({ file }) => file)).to.deep.equal(['steps/a.step.ts', 'steps/b.step.ts']);
    expect(await session.json(session.invoke('A'))).to.equal(2);
    app.write('steps/b.step.ts', 'export const config = ;');
    session.received.length = 0;
    session.send({ type: 'load', files: await discoverStepFiles(app.root) });
    expect(await session.first('register')).to.deep.include({ complete: false });
  });

  it('keeps transformed TypeScript: a warm start needs no esbuild', async () => {
    const cacheDir = join(folder, 'data/cache');
    const url = await engine.listen(join(folder, 'w.sock'));
    app = new AppFolder({ 'steps/a.step.ts': step('A', '(): object => ({ status: 200, body: 1 })') });
    await begin(url, { cacheDir });
    child.kill('SIGKILL');
    expect(readdirSync(cacheDir)).to.have.length(1);
    expect(statSync(join(folder, 'data')).mode & 0o777, 'the data directory, when "check" or "test" make it').to.equal(0o700);
    app.write('steps/b.step.ts', step('B', '(): object => ({ status: 200 })'));
    const session = await begin(url, { cacheDir, esbuild: '/nowhere/esbuild.js' }, 1);
    const { reports } = await session.first('register');
    expect(reports.map(({ problem }) => problem?.kind)).to.deep.equal([undefined, 'import']);
    expect(await session.json(session.invoke('A'))).to.equal(1);
  });

  it('sends its heartbeat from a thread of its own, also while a handler blocks', async () => {
    const session = await started({ 'steps/a.step.ts': blocker() });
    expect(await engine.heartbeat(({ type }) => type === 'hello')).to.deep.include({ role: 'heartbeat', session: 's0', token: engine.token, pid: child.pid });
    await engine.heartbeat(({ type }) => type === 'alive');
    const id = session.invoke('A');
    const late = await engine.heartbeat((message) => message.type === 'alive' && message.loopDelayMs > 300);
    expect(session.received.some(({ type }) => type === 'result'), `blocked when ${JSON.stringify(late)} came`).to.equal(false);
    writeFileSync(join(folder, 'go'), '');
    expect(await session.json(id)).to.equal('done');
  });

  /** Says that it has begun, and blocks its process until it is told to go on. */
  const blocker = (): string => step('A', `() => {
    writeFileSync(${JSON.stringify(join(folder, 'began'))}, "");
    while (!existsSync(${JSON.stringify(join(folder, 'go'))}));
    return { status: 200, body: "done" };
  }`, "import { existsSync, writeFileSync } from 'node:fs';");

  it('gives back what it has not begun while a handler blocks it, and does not run that later', async () => {
    const session = await started({
      'steps/a.step.ts': blocker(),
      'steps/b.step.ts': step('B', '(_input: unknown, ctx: any) => { ctx.logger.info("ran"); return { status: 200, body: ctx.attempt }; }'),
    });
    expect(await engine.heartbeat(({ type }) => type === 'hello')).to.include({ withdraws: true });
    const [blocking, taken, kept] = [session.invoke('A'), session.invoke('B'), session.invoke('B', {}, { attempt: 7 })];
    while (!existsSync(join(folder, 'began'))) await new Promise((resolve) => setTimeout(resolve, 5));
    expect([await engine.withdraw(blocking), await engine.withdraw(taken)]).to.deep.equal(['begun', 'withdrawn']);
    writeFileSync(join(folder, 'go'), '');
    expect([await session.json(blocking), await session.json(kept)]).to.deep.equal(['done', 7]);
    expect(session.received.flatMap((message) => (message.type === 'log' ? [message.id] : []))).to.deep.equal([kept]);
    expect(session.received.filter((message) => 'id' in message && message.id === taken)).to.deep.equal([]);
    expect(await engine.withdraw(kept)).to.equal('ended');
  });

  it('says of a handler that has ended that its answer is held up, while another one blocks the process', async () => {
    const session = await started({
      'steps/a.step.ts': blocker(),
      'steps/b.step.ts': step('B', 'async () => ({ status: 200, body: "quick" })'),
    });
    await engine.heartbeat(({ type }) => type === 'hello');
    const trigger = { type: 'queue', index: 1 } as const;
    const invoke = { type: 'invoke', trigger, input: {}, traceparent: TRACEPARENT, timeoutMs: 30_000, attempt: 1 } as const;
    session.send({ ...invoke, id: 101, step: 'B' }, { ...invoke, id: 102, step: 'A' });
    while (!existsSync(join(folder, 'began'))) await new Promise((resolve) => setTimeout(resolve, 5));
    expect([await engine.withdraw(101), await engine.withdraw(102)]).to.deep.equal(['ended', 'begun']);
    expect(session.received.some(({ type }) => type === 'result')).to.equal(false);
    writeFileSync(join(folder, 'go'), '');
    expect(await session.result(101)).to.include({ id: 101 });
  });

  it('ends when the engine is gone, and says why', async () => {
    await started({ 'steps/a.step.ts': step('A', '() => { setInterval(() => undefined, 1000); }') });
    await engine.close();
    expect(await exit()).to.equal(69);
    expect(output).to.contain('treadle worker: the connection to the engine was lost');
  });

  it('ends by itself when the engine has taken the reader of its output along', async () => {
    await started({ 'steps/a.step.ts': step('A', '() => { setInterval(() => undefined, 1000); }') });
    child.stderr.destroy();
    await engine.close();
    expect(await exit()).to.equal(69);
  });

  it('ends with the engine also while a handler blocks it', async () => {
    app = new AppFolder({ 'steps/a.step.ts': step('A', '() => { for (;;); }') });
    // The engine is played by two processes: this one talks, the launcher is the parent that dies.
    const launcher = `require('node:child_process').spawn(process.execPath, [process.argv[1]], { stdio: 'inherit' }); setInterval(() => undefined, 1e9);`;
    const session = await begin(await engine.listen(join(folder, 'w.sock')), {}, 0, ['--eval', launcher, CHILD]);
    await engine.heartbeat(({ type }) => type === 'alive');
    session.invoke('A');
    await engine.heartbeat((message) => message.type === 'alive' && message.loopDelayMs > 300);
    child.kill('SIGKILL');
    expect(await session.closed()).to.equal(1006);
  });

  it('leaves SIGINT and SIGTERM to the engine', async () => {
    const session = await started({ 'steps/a.step.ts': step('A', '() => ({ status: 200, body: 1 })') });
    child.kill('SIGINT');
    child.kill('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await session.json(session.invoke('A'))).to.equal(1);
  });

  it('ends when nobody tells it what to do', async () => {
    app = new AppFolder();
    child = spawn(process.execPath, [CHILD], { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, NODE_OPTIONS: '' } });
    output = '';
    child.stderr.on('data', (part: Buffer) => { output += String(part); });
    child.stdin.end();
    expect(await exit()).to.equal(69);
    expect(output).to.equal('treadle worker: this program is started by the engine; run treadle-worker by hand instead\n');
  });
});
