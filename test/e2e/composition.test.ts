import { connect } from 'node:net';
import { expect } from 'chai';
import { EngineProcess, stopAllEngines, tells } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { tempApplication, tempFolder } from '../support/temp-folder.js';
import { HEALTHY } from '../support/test-store.js';

/** The sample of the base specification, unchanged. */
const SAMPLE = `modules:
  - class: modules::stream::StreamModule
    config:
      port: \${STREAM_PORT:3112}
      host: 127.0.0.1
      adapter:
        class: modules::stream::adapters::KvStore
        config:
          store_method: file_based
          file_path: ./data/stream_store
  - class: modules::observability::OtelModule
    config:
      enabled: \${OTEL_ENABLED:true}
      service_name: my-service
      exporter: \${OTEL_EXPORTER_TYPE:memory}
`;

describe('composing an engine from YAML', function () {
  this.timeout(120_000);
  afterEach(stopAllEngines);

  it('starts the sample of the base specification unchanged', async () => {
    const cwd = tempApplication({ 'config.yaml': SAMPLE });
    const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env: { PORT: '0' } });
    expect((await request('GET', `${await engine.ready()}/health`)).text).to.match(HEALTHY);
    const stream = await engine.address('stream');
    expect((await request('GET', stream.replace('ws:', 'http:'))).status).to.equal(426);
    await tells(engine, 'modules::stream::adapters::KvStore');
    expect((await engine.stop()).code).to.equal(0);
  });

  it('starts one module alone with implicit_modules: false', async () => {
    const cwd = tempApplication({
      'config.yaml': 'engine:\n  implicit_modules: false\nmodules:\n  - class: modules::http::HttpModule\n    config: { port: 0, max_event_loop_delay_ms: 60000 }\n',
      'steps/never.step.js': 'throw new Error("must not be loaded");\n',
    });
    const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
    const url = await engine.ready();
    expect((await request('GET', `${url}/health`)).text).to.equal('{"status":"ok"}');
    expect((await request('GET', `${url}/nothing`)).json).to.include({ code: 'not_found' });
    expect(engine.output).to.not.include('modules::steps::StepsModule');
    expect((await engine.stop()).code).to.equal(0);
  });

  it('accepts the alias of the HTTP module and says which class served it', async () => {
    const cwd = tempApplication({ 'config.yaml': 'modules:\n  - class: modules::api::RestApiModule\n    config: { port: 0 }\n  - class: modules::steps::StepsModule\n    config: { port: false }\n' });
    const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
    await engine.ready();
    await tells(engine, 'modules::http::HttpModule');
  });

  it('exits with 69 and names the setting when the port is taken', async () => {
    const first = new EngineProcess({ cwd: tempApplication({ 'config.yaml': httpOn('0') }), args: ['--config', 'config.yaml'] });
    const { port } = new URL(await first.ready());
    const second = new EngineProcess({ cwd: tempApplication({ 'config.yaml': httpOn(port) }), args: ['--config', 'config.yaml'] });
    expect((await second.exit).code).to.equal(69);
    expect(second.output).to.include('ADDRESS_IN_USE').and.include('port');
    expect(second.output).to.not.match(/^\s+at /m);
  });

  it('refuses a second engine on the same data with the pid of the first', async () => {
    const cwd = tempApplication({ 'config.yaml': httpOn('0') });
    const first = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
    await first.ready();
    const second = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
    expect((await second.exit).code).to.equal(69);
    expect(second.output).to.include(`pid ${first.pid}`);
    expect(await reachable(await first.address('http'))).to.equal(true);
  });

  it('exits with 64 for an unknown flag and 78 for a file that is not there', async () => {
    const cwd = tempFolder();
    expect((await new EngineProcess({ cwd, args: ['--frobnicate'] }).exit).code).to.equal(64);
    const missing = new EngineProcess({ cwd, args: ['--config', 'nowhere.yaml'] });
    expect((await missing.exit).code).to.equal(78);
    expect(missing.output).to.include('CONFIG_NOT_FOUND').and.include('nowhere.yaml');
  });
});

function httpOn(port: string): string {
  return `engine: { implicit_modules: false }\nmodules:\n  - class: modules::http::HttpModule\n    config: { port: ${port} }\n`;
}

function reachable(address: string): Promise<boolean> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => { socket.destroy(); resolve(true); });
    socket.once('error', () => resolve(false));
  });
}
