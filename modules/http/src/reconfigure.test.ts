import { Agent, get, type IncomingMessage } from 'node:http';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModuleContext } from '@treadle/api';
import { expect } from 'chai';
import { missingFolders } from './config-conflicts.js';
import type { HttpConfig } from './http.config.js';
import { freshContext, type RunningModule, runModule, withDefaults } from './module-run.fixture.js';

describe('HTTP settings that change while requests run', () => {
  let run: RunningModule;
  let agent: Agent;
  beforeEach(() => { agent = new Agent({ keepAlive: true, maxSockets: 1 }); });
  afterEach(async () => {
    agent.destroy();
    await run.stop();
  });

  const change = (config: Partial<HttpConfig>, more: { drainDelayMs?: number; drainTimeoutMs?: number } = {}): Promise<void> => run.module.reconfigure(
    withDefaults(config), { ...freshContext(run.log) as ModuleContext, drainTimeoutMs: 2000, drainDelayMs: 0, ...more },
  );
  const ask = (path: string, base = run.url): Promise<IncomingMessage & { text: string }> => new Promise((resolve, reject) => {
    get(`${base}${path}`, { agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => { text += piece; });
      response.on('end', () => resolve(Object.assign(response, { text })));
    }).on('error', reject);
  });

  /** To a port that is free, and may be taken by somebody else before it is asked for; with all the time that its requests need. */
  const moveTo = async (config: Partial<HttpConfig>, tries = 5): Promise<void> => {
    await change({ port: await unused(), ...config }, { drainTimeoutMs: 60_000 }).catch((error: { readonly code?: string }) => {
      if (error.code !== 'ADDRESS_IN_USE' || tries <= 1) throw error;
      return moveTo(config, tries - 1);
    });
  };

  it('hold for the next request on the same connection', async () => {
    run = await runModule();
    run.hub.add({ method: 'POST', path: '/echo' }, () => ({ status: 200 }));
    const post = async (): Promise<number> => (await fetch(`${run.url}/echo`, { method: 'POST', body: 'x'.repeat(100) })).status;
    expect(await post()).to.equal(200);
    await change({ body_limit_bytes: 50 });
    expect(await post()).to.equal(413);
    await change({ body_limit_bytes: 200, cors: { allowed_origins: ['https://app.example'] } });
    expect(await post()).to.equal(200);
    const answer = await fetch(`${run.url}/echo`, { method: 'POST', headers: { origin: 'https://app.example' } });
    expect(answer.headers.get('access-control-allow-origin')).to.equal('https://app.example');
  });

  it('leave a request that is under way as it began', async () => {
    run = await runModule();
    let release = (): void => undefined;
    run.hub.add({ method: 'GET', path: '/held' }, () => new Promise((resolve) => { release = () => resolve({ status: 200 }); }));
    const held = ask('/held');
    while (run.hub.requests.length === 0) await new Promise(setImmediate);
    await change({ handler_timeout_ms: 500, concurrency_request_limit: 1, debug: true });
    release();
    expect((await held).statusCode).to.equal(200);
  });

  it('open a new address before the former one goes, and let its requests and connections end', async () => {
    run = await runModule();
    let release = (): void => undefined;
    run.hub.add({ method: 'GET', path: '/held' }, () => new Promise((resolve) => { release = () => resolve({ status: 200 }); }));
    run.hub.add({ method: 'GET', path: '/' }, () => ({ status: 200 }));
    const idle = new Agent({ keepAlive: true });
    await new Promise<void>((resolve) => { get(`${run.url}/`, { agent: idle }, (response) => response.resume().on('end', () => resolve())); });
    const held = ask('/held');
    while (run.hub.requests.length === 1) await new Promise(setImmediate);
    await moveTo({ keep_alive_timeout_ms: 60_000 });
    const moved = run.module.address as string;
    expect(run.announced.get('http')).to.equal(moved).and.not.equal(run.url);
    expect((await fetch(`${moved}/`)).status).to.equal(200);
    await until(async () => fetch(`${run.url}/`).then(() => false, () => true));
    // The connection that was idle meanwhile is served once more, then told that it is over.
    const last = await new Promise<IncomingMessage>((resolve, reject) => { get(`${run.url}/`, { agent: idle }, resolve).on('error', reject); });
    expect([last.resume().statusCode, last.headers.connection]).to.deep.equal([200, 'close']);
    release();
    const answer = await held;
    expect([answer.statusCode, answer.headers.connection]).to.deep.equal([200, 'close']);
    idle.destroy();
  });

  it('take an address that overlaps the former one', async () => {
    run = await runModule();
    await change({ host: 'localhost', port: run.port });
    expect(run.module.address).to.equal(`http://localhost:${run.port}`);
    expect((await ask('/health', run.module.address)).statusCode).to.equal(200);
  });

  it('stay as they were when the new address cannot be had', async () => {
    run = await runModule();
    const other = await runModule();
    const error: unknown = await change({ port: other.port, body_limit_bytes: 1 }).catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: 'ADDRESS_IN_USE' });
    expect((await ask('/health')).statusCode).to.equal(200);
    expect(run.module.address).to.equal(run.url);
    await other.stop();
  });

  it('include folders, of which a missing one is found before anything changes', async () => {
    const root = mkdtempSync(join(tmpdir(), 'treadle-reload-'));
    mkdirSync(join(root, 'public'));
    writeFileSync(join(root, 'public', 'a.txt'), 'served');
    run = await runModule({ root });
    await change({ static: [{ path: '/', dir: 'public' }] });
    expect((await ask('/a.txt')).text).to.equal('served');
    const around = { root, dataDir: root, mode: 'production', env: {} } as const;
    expect(await missingFolders(withDefaults({ static: [{ path: '/', dir: 'public' }, { path: '/x', dir: 'none' }] }), around))
      .to.deep.equal([{ key: 'static[1].dir', problem: `there is no folder "${join(root, 'none')}"`, hint: 'make the folder or take the entry out' }]);
    await change({});
    expect((await ask('/a.txt')).statusCode).to.equal(404);
    rmSync(root, { recursive: true, force: true });
  });
});

async function unused(): Promise<number> {
  const taken = await runModule();
  await taken.stop();
  return taken.port;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    if (await holds()) return;
    await new Promise((resolve) => { setTimeout(resolve, 10); });
  }
  throw new Error('it never became true');
}
