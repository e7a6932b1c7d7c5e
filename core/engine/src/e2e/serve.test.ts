import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { Bench, type EngineProcess } from './engine-process.fixture.js';

const CONFIG = `
modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: 0 }
`;
const IN_PROCESS = `
engine: { mode: production }
modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: 0, runtimes: [{ class: 'modules::runtime::adapters::InProcess' }] }
`;
const step = (name: string, method: string, path: string, result: string): string => `
export const config = { name: '${name}', triggers: [{ type: 'http', method: '${method}', path: '${path}' }] };
export const handler = async (input: any) => (${result});
`;

describe('treadle-engine, with Steps', function () {
  this.timeout(120_000);
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
    bench.write('config.yaml', CONFIG);
    bench.writeSteps({
      'greet.step.ts': step('Greet', 'GET', '/greet/:name', '{ status: 200, body: { message: `Hello ${input.pathParams.name}` } }'),
      'create.step.ts': step('Create', 'POST', '/things', '{ status: 201, body: input.body }'),
      'remove.step.ts': step('Remove', 'DELETE', '/things/:id', '{ status: 204 }'),
    });
  });
  afterEach(() => bench.remove());

  async function serving(): Promise<{ engine: EngineProcess; url: string }> {
    const engine = bench.start(['--config', 'config.yaml']);
    const url = (await engine.line('ready'))['http'] as string;
    while ((await fetch(`${url}/health`)).status !== 200) await wait(20);
    return { engine, url };
  }

  it('serves three Step files and says that it is well', async () => {
    const { url } = await serving();
    expect(await (await fetch(`${url}/health`)).text()).to.equal('{"status":"ok"}');
    expect(await (await fetch(`${url}/greet/Ada`)).json()).to.deep.equal({ message: 'Hello Ada' });
    const created = await fetch(`${url}/things`, {
      method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' },
    });
    expect([created.status, await created.json()]).to.deep.equal([201, { a: 1 }]);
    expect((await fetch(`${url}/things/1`, { method: 'DELETE' })).status).to.equal(204);
  });

  it('drains and exits 0 at SIGTERM', async () => {
    const { engine, url } = await serving();
    await (await fetch(`${url}/greet/Ada`)).text();
    engine.signal('SIGTERM');
    expect(await engine.ended).to.include({ code: 0, stderr: '' });
  });

  it('outlives process.exit of a handler in its own process, and ends by itself while one runs', async () => {
    bench.write('config.yaml', IN_PROCESS);
    bench.write('steps/exit.step.ts', step('Exit', 'POST', '/exit', 'process.exit(3)'));
    bench.write('steps/hang.step.ts', step('Hang', 'POST', '/hang', 'console.log(`{"message":"hanging"}`), new Promise(() => undefined)'));
    const { engine, url } = await serving();
    expect((await fetch(`${url}/exit`, { method: 'POST' })).status).to.equal(500);
    void fetch(`${url}/hang`, { method: 'POST' }).catch(() => undefined);
    await engine.line('hanging');
    engine.signal('SIGTERM');
    await engine.line('stopping');
    await wait(150);
    engine.signal('SIGTERM');
    expect((await engine.ended).code).to.equal(143);
  });

  it('keeps Steps and port through a reload that changes nothing of them', async () => {
    const { engine, url } = await serving();
    bench.write('config.yaml', `# a comment\n${CONFIG}`);
    engine.signal('SIGHUP');
    expect(await engine.line('reloaded')).to.include({ restarted: 0, http: url });
    expect((await fetch(`${url}/greet/Ada`)).status).to.equal(200);
  });
});
