import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Built, buildApplication } from '../support/built-application.js';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { NODE_VERSIONS, nodeOfVersion, OLDEST_STEP_NODE } from '../support/node-binaries.js';
import { installCopies, installPacked } from '../support/packed-packages.js';
import { requirePython } from '../support/require-python.js';
import { requireOrSkip } from '../support/requirement.js';
import { answered, APPLICATION, MODULES, start } from '../support/shop-application.js';
import { StepProcess, stopAllStepProcesses } from '../support/step-process.js';
import { copyOfSample, tempApplication, tempFolder, writeFiles } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const TOKEN = 'a-token-that-only-this-test-knows';
describe('a built application', function () {
  this.timeout(400_000);
  afterEach(async () => {
    await stopAllStepProcesses();
    await stopAllEngines();
  });

  /** An engine that has no Steps of its own. */
  async function engine(port?: string): Promise<{ readonly url: string; readonly env: Record<string, string>; readonly process: EngineProcess }> {
    const home = tempFolder();
    writeFiles(home, { 'engine.yaml': MODULES(', discover: false', port) });
    const process = new EngineProcess({ cwd: home, args: ['--config', 'engine.yaml'], env: { ENGINE_TOKEN: TOKEN } });
    return { process, url: await process.ready(), env: { ENGINE_URL: await process.address('worker-tcp'), ENGINE_TOKEN: TOKEN } };
  }
  const worker = (cwd: string, env: Record<string, string>, command = process.execPath): StepProcess =>
    new StepProcess({ command, args: ['dist/index-production.js'], cwd, env });

  describe('as a process of its own', () => {
    it('serves from dist and its packages alone, on every Node from 18.0.0', async function () {
      const app = tempApplication(APPLICATION);
      const { packages } = buildApplication(app);
      expect(Object.keys(packages)).to.deep.equal(['treadle', 'zod']);
      const place = tempFolder();
      for (const kept of ['dist', 'steps/unit.txt', 'src/word.txt', 'package.json']) cpSync(join(app, kept), join(place, kept), { recursive: true });
      installPacked(place, { '@treadle/protocol': 'core/protocol', treadle: 'core/steps' });
      installCopies(place, ['zod']);
      const { url, env } = await engine();
      const versions = [OLDEST_STEP_NODE, NODE_VERSIONS[18], NODE_VERSIONS[22], NODE_VERSIONS[24]];
      const found = versions.map((version) => [version, nodeOfVersion(version)] as const);
      const missing = found.filter(([, node]) => node === undefined).map(([version]) => version);
      requireOrSkip(this, missing.length === 0, `Node ${missing.join(', ')} could not be installed from npm`);
      for (const [version, node] of found) {
        const serving = worker(place, env, node);
        const { json } = await answered(`${url}/prices/abcd?n=2`, ({ json }) => (json as { node?: string } | undefined)?.node === `v${version}`);
        expect(json).to.deep.include({ price: 8, unit: 'EUR' });
        expect((await answered(`${url}/legacy`)).json).to.equal('legacy');
        expect((await answered(`${url}/words`)).json).to.deep.equal(['a/b', 'a word']);
        expect((await request('GET', `${url}/prices/abcd?n=x`)).status).to.equal(400);
        expect(await serving.stop(), serving.output).to.equal(0);
      }
    });

    it('serves the sample application, a process for each language', async function () {
      const python = await requirePython(this);
      const app = copyOfSample('tickets');
      buildApplication(app);
      const { url, env, process: running } = await engine();
      const both = [worker(app, env), new StepProcess({ command: python, args: ['dist/index_production.py'], cwd: app, env })];
      const ticket = { title: 'Broken lamp', customer: { id: 'ada', email: 'ada@example.com' }, priority: 'high' };
      const made = await waitUntil('a ticket', async () => {
        const answer = await request('POST', `${url}/tickets`, ticket);
        return [200, 201].includes(answer.status) && answer;
      });
      const { id } = made.json as { id: string };
      expect((await answered(`${url}/tickets/${id}`)).json).to.include({ id, title: 'Broken lamp' });
      await waitUntil('the mail', () => running.output.split('\n').some((line) => line.includes('customer notified') && line.includes(id)));
      for (const process of both) expect(await process.stop(), process.output).to.equal(0);
    });

    it('comes back to an engine that was away, and says what is missing of its folder', async () => {
      const app = tempApplication(APPLICATION);
      buildApplication(app);
      const first = await engine();
      const serving = worker(app, first.env);
      await answered(`${first.url}/legacy`);
      await first.process.stop('SIGKILL');
      await waitUntil('the loss', () => /next attempt in/.test(serving.output));
      const second = await engine(new URL(first.env['ENGINE_URL'] ?? '').port);
      await answered(`${second.url}/legacy`);
      expect(await serving.stop()).to.equal(0);
      rmSync(join(app, 'dist/treadle.lock.json'));
      const lost = worker(app, first.env);
      expect(await lost.exit).to.equal(65);
      expect(lost.output).to.match(/^index-production: .*dist\/treadle\.lock\.json is missing; .*run "treadle build" again\n$/);
    });

    it('is replaced by a newer build while requests come, without one that fails', async () => {
      const [old, next] = [tempApplication(APPLICATION), tempApplication({
        ...APPLICATION, 'src/prices.ts': 'export const price = (id: string): number => id.length + 1000;\n', 'steps/added.step.js': APPLICATION['steps/words.step.js'].replace('Words', 'Added').replace('/words', '/added'),
      })];
      const builds = [old, next].map(buildApplication).map(({ build }: Built) => build);
      expect(new Set(builds).size).to.equal(2);
      const { url, env, process: running } = await engine();
      const before = worker(old, env);
      await answered(`${url}/prices/abc`);
      const load = keepAsking(`${url}/prices/abc`);
      const after = worker(next, env);
      await answered(`${url}/added`, ({ status }) => status !== 404);
      expect(await before.stop(), before.output).to.equal(0);
      await answered(`${url}/prices/abc`, ({ json }) => (json as { price?: number } | undefined)?.price === 1003);
      const statuses = await load.stop();
      expect(statuses).to.deep.equal([200]);
      expect(await after.stop()).to.equal(0);
      expect((await running.stop()).code).to.equal(0);
    });
  });

  describe('with Python Steps', () => {
    let command = '';
    before(async function () { command = await requirePython(this); });
    const MIXED = {
      ...APPLICATION,
      'lib/__init__.py': '', 'lib/words.py': 'def greeting(name):\n    return f"hello {name}"\n',
      'steps/greet_step.py': `from treadle import http, queue, step
from lib.words import greeting

config = {"name": "Greet", "triggers": [http("GET", "/greet/:name")]}

async def handler(input, ctx):
    return {"status": 200, "body": {"said": greeting(input.path_params["name"]), "file": __file__}}
`,
    };

    it('runs both languages from dist, in one process and as processes of their own', async () => {
      const app = tempApplication(MIXED);
      const { files } = buildApplication(app);
      expect(files).to.include.members(['index_production.py', 'steps/greet_step.py', 'lib/words.py', 'python/treadle/__init__.py']);
      expect(files.filter((file) => /__pycache__|\.pyc$|tests\//.test(file))).to.deep.equal([]);
      for (const source of ['steps/greet_step.py', 'lib', 'steps/legacy.step.cjs']) rmSync(join(app, source), { recursive: true });
      const one = start(app);
      const url = await one.ready();
      const said = { said: 'hello bob', file: join(app, 'dist/steps/greet_step.py') };
      expect((await answered(`${url}/greet/bob`)).json).to.deep.equal(said);
      expect((await answered(`${url}/legacy`)).json).to.equal('legacy');
      expect((await one.stop()).code).to.equal(0);

      const apart = await engine();
      const node = worker(app, apart.env);
      await answered(`${apart.url}/legacy`);
      // The whole catalog came with the first process: the route is there before anybody serves it.
      expect((await request('GET', `${apart.url}/greet/bob`)).json).to.include({ code: 'no_worker' });
      const other = new StepProcess({ command, args: ['dist/index_production.py'], cwd: app, env: apart.env });
      expect((await answered(`${apart.url}/greet/bob`)).json).to.deep.equal(said);
      expect((await answered(`${apart.url}/legacy`)).json).to.equal('legacy');
      expect(await other.stop(), other.output).to.equal(0);
      expect((await request('GET', `${apart.url}/greet/bob`)).json).to.include({ code: 'no_worker' });
      expect(await node.stop()).to.equal(0);
    });

    it('says what is wrong with its folder', async () => {
      const app = tempApplication(MIXED);
      buildApplication(app);
      expect(existsSync(join(app, 'dist/index_production.py'))).to.equal(true);
      writeFiles(app, { 'dist/treadle.lock.json': 'not JSON' });
      const faulty = new StepProcess({ command, args: ['dist/index_production.py'], cwd: app });
      expect(await faulty.exit).to.equal(65);
      expect(faulty.output).to.match(/^index_production: .*treadle\.lock\.json: it is not a JSON object; run "treadle build" again\n$/);
    });
  });
});

/** Asks again and again; `stop` gives the different statuses that came. */
function keepAsking(url: string): { stop(): Promise<readonly number[]> } {
  const statuses = new Set<number>();
  let going = true;
  const done = (async () => {
    while (going) statuses.add((await request('GET', url)).status);
  })();
  return { stop: async () => { going = false; await done; return [...statuses]; } };
}
