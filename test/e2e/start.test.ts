import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { buildApplication } from '../support/built-application.js';
import { cliProgram, EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { answered, APPLICATION, logged, MODULES, NEEDY, start } from '../support/shop-application.js';
import { tempApplication, writeFiles } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

describe('treadle start', function () {
  this.timeout(180_000);
  afterEach(() => stopAllEngines());

  it('runs the build and not the sources, reads .env, names the lines of the sources, and drains with 0', async () => {
    const app = tempApplication({ ...APPLICATION, '.env': 'SHOP=from-file\n' });
    const { build } = buildApplication(app);
    const first = start(app);
    const url = await first.ready();
    const expected = { price: 6, unit: 'EUR', node: process.version, env: 'from-file' };
    expect((await answered(`${url}/prices/abc?n=2`)).json).to.deep.equal(expected);
    expect((await answered(`${url}/words`)).json).to.deep.equal(['a/b', 'a word']);
    expect((await answered(`${url}/legacy`)).json).to.equal('legacy');
    expect(logged(first, 'the build in dist runs')).to.deep.include({ build, steps: 3 });
    expect(first.output).to.not.include('older than the sources');
    expect((await request('GET', `${url}/prices/broken`)).status).to.equal(500);
    expect(await waitUntil('the stack', () => /src\/prices\.ts:2:\d+/.exec(first.output)?.[0])).to.match(/^src\/prices\.ts:2:/);
    expect(first.output).to.not.include('prices.mjs');
    expect((await first.stop('SIGTERM')).code).to.equal(0);

    writeFiles(app, { 'src/prices.ts': 'export const price = (): number => 99;\n', 'steps/new.step.js': APPLICATION['steps/words.step.js'] });
    const second = start(app, { SHOP: 'set' });
    expect((await answered(`${await second.ready()}/prices/abc`)).json).to.include({ price: 3, env: 'set' });
    const stale = await waitUntil('the warning', () => logged(second, 'the build is older than the sources; what was built runs'));
    expect(stale).to.deep.include({ level: 'warn', changed: 'src/prices.ts, steps/new.step.js', count: 2 });
    expect((await second.stop('SIGINT')).code).to.equal(0);
  });

  it('runs the sources where there is no build, and in development mode always', async () => {
    const app = tempApplication(APPLICATION);
    const sources = start(app);
    expect((await answered(`${await sources.ready()}/prices/abc`)).status).to.equal(200);
    expect(logged(sources, 'the build in dist runs')).to.equal(undefined);
    await sources.stop();
    buildApplication(app);
    writeFiles(app, { 'src/prices.ts': 'export const price = (): number => 99;\n' });
    const development = new EngineProcess({ cwd: app, args: ['dev'], program: cliProgram(), env: { LOG_FORMAT: 'json' } });
    expect((await answered(`${await development.ready()}/prices/abc`)).json).to.include({ price: 99 });
  });

  it('runs the build inside the engine, too', async () => {
    const app = tempApplication({ ...APPLICATION, 'config.yaml': MODULES(', runtimes: [{ class: modules::runtime::adapters::InProcess }]') });
    buildApplication(app);
    for (const name of ['steps/price.step.ts', 'src/prices.ts']) rmSync(join(app, name));
    const inside = start(app);
    expect((await answered(`${await inside.ready()}/prices/abc`)).json).to.include({ price: 3, unit: 'EUR' });
    expect((await inside.stop()).code).to.equal(0);
  });

  it('ends with 65 and a remedy when the lock file cannot be used, and with 78 for the configuration', async () => {
    const app = tempApplication({ ...APPLICATION, 'dist/treadle.lock.json': '{ "format": 99 }' });
    const refused = start(app);
    expect((await refused.exit).code).to.equal(65);
    expect(refused.output).to.include('BUILD_UNREADABLE').and.include('dist/treadle.lock.json: it has format 99, not 1').and.include('run "treadle build" again');
    writeFiles(app, { 'config.yaml': 'modules: 5\n' });
    expect((await start(app).exit).code).to.equal(78);
  });

  it('passes on the exit codes of the engine: 69 for a port in use, 128 + n for a second signal', async () => {
    const slow = `export const config = { name: 'Slow', triggers: [{ type: 'http', method: 'GET', path: '/slow' }] };
export const handler = (input, { logger }) => new Promise(() => logger.info('the handler hangs'));
`;
    const app = tempApplication({ ...APPLICATION, 'steps/slow.step.js': slow });
    buildApplication(app);
    const first = start(app);
    const url = await first.ready();
    const other = tempApplication({ ...APPLICATION, 'config.yaml': MODULES('').replace('port: 0', `port: ${new URL(url).port}`) });
    const refused = start(other);
    expect((await refused.exit).code).to.equal(69);
    expect(refused.output).to.include('ADDRESS_IN_USE');
    const hanging = request('GET', `${url}/slow`).catch(() => undefined);
    await waitUntil('the handler', () => first.output.includes('the handler hangs'));
    first.child.kill('SIGTERM');
    await waitUntil('the drain', () => logged(first, 'stopping'));
    first.child.kill('SIGINT');
    expect((await first.exit).code).to.equal(130);
    await hanging;
  });

  it('disables only the Step that fails to load, and says which line', async () => {
    const app = tempApplication({ ...APPLICATION, 'steps/needy.step.ts': NEEDY });
    process.env['NEEDED'] = 'yes';
    try { buildApplication(app); } finally { delete process.env['NEEDED']; }
    const without = start(app);
    expect((await answered(`${await without.ready()}/legacy`)).json).to.equal('legacy');
    expect(await waitUntil('the diagnostic', () => logged(without, 'a Step has a problem'))).to.deep.include({ code: 'STEP_IMPORT_FAILED', problem: 'NEEDED is not set' });
    expect(String(logged(without, 'a Step has a problem')?.['at'])).to.match(/^steps\/needy\.step\.ts:2/);
  });
});
