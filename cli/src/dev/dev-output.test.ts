import { expect } from 'chai';
import { DevOutput } from './dev-output.js';

const RECORD = { timestamp: '2026-01-02T03:04:05.678Z', level: 'info', traceId: '0'.repeat(32), spanId: '0'.repeat(16), service: 'app', stepName: '' };

describe('the output of treadle dev', () => {
  let written = '';
  let passed: string[] = [];
  let output: DevOutput;
  let link: string | undefined;
  beforeEach(() => {
    link = 'http://127.0.0.1:3113/?t=secret';
    written = '';
    passed = [];
    output = new DevOutput({
      write: (text) => { written += text; }, paint: (_style, text) => text, link: () => Promise.resolve(link),
      rest: { write: ({ message, fields }) => passed.push(`${message} ${JSON.stringify(fields)}`) },
    });
  });
  const log = (message: string, fields: object = {}): void => output.write(`${JSON.stringify({ ...RECORD, message, ...fields })}\n`);

  /** What comes before has been shown. */
  function start(): void {
    log('ready', { ms: 50, application: 'my-app' });
    written = '';
  }

  it('names the addresses once all runs, not those that processes use among themselves', async () => {
    log('engine started', { http: 'http://127.0.0.1:3111' });
    log('module started', { module: 'modules::http::HttpModule' });
    log('ready', {
      ms: 50, http: 'http://127.0.0.1:3111', 'worker-tcp': 'ws://127.0.0.1:3110', worker: 'ws+unix:/tmp/x.sock:/',
      console: 'http://127.0.0.1:3113', application: 'my-app', mode: 'development', config: '/x/config.yaml',
    });
    log('catalog changed', { steps: 3, added: 3, changed: 0, removed: 0 });
    expect(written, 'waits for the link').to.equal('');
    await output.settled();
    expect(written).to.equal('● my-app is ready in 50 ms; Ctrl-C stops it\n  http     http://127.0.0.1:3111\n  console  http://127.0.0.1:3113/?t=secret\n3 Steps (3 added)\n');
  });

  it('names the admin API where no page is served, and nothing where there is neither', async () => {
    link = undefined;
    log('ready', { ms: 50, console: 'http://127.0.0.1:3113', application: 'my-app' });
    await output.settled();
    log('ready', { ms: 50, http: 'http://127.0.0.1:3111', application: 'my-app' });
    expect(written).to.equal('● my-app is ready in 50 ms; Ctrl-C stops it\n  admin  http://127.0.0.1:3113\n● my-app is ready in 50 ms; Ctrl-C stops it\n  http  http://127.0.0.1:3111\n');
  });

  it('does not tell of the question for its own link', () => {
    log('admin request', { method: 'POST', path: '/api/v1/session/link', status: 200 });
    log('admin request', { method: 'POST', path: '/api/v1/backup', status: 200 });
    expect(passed).to.deep.equal(['admin request {"method":"POST","path":"/api/v1/backup","status":200}']);
  });

  it('shows a diagnostic in the one form of errors', () => {
    log('a Step has a problem', { level: 'error', at: 'steps/a.step.ts:1:18', code: 'STEP_SYNTAX', problem: 'Unexpected ";"', remedy: 'correct the syntax' });
    log('configuration warning', { level: 'warn', code: 'CONFIG_DEPRECATED_KEY', problem: 'modules[0].x: deprecated' });
    expect(written).to.equal('steps/a.step.ts:1:18  error  STEP_SYNTAX  Unexpected ";"\n    hint: correct the syntax\n'
      + 'warning  CONFIG_DEPRECATED_KEY  modules[0].x: deprecated\n');
  });

  it('shows the Steps of the start below the addresses, though they are known before', () => {
    log('catalog changed', { steps: 2, added: 2, changed: 0, removed: 0 });
    expect(written).to.equal('');
    log('ready', { ms: 50, http: 'http://127.0.0.1:3111', application: 'my-app' });
    log('catalog changed', { steps: 2, added: 0, changed: 1, removed: 0 });
    expect(written).to.equal('● my-app is ready in 50 ms; Ctrl-C stops it\n  http  http://127.0.0.1:3111\n2 Steps (2 added)\n2 Steps (1 changed)\n');
  });

  it('says how the catalog changed', () => {
    start();
    log('catalog changed', { steps: 3, added: 3, changed: 0, removed: 0 });
    log('catalog changed', { steps: 1, added: 0, changed: 1, removed: 2 });
    expect(written).to.equal('3 Steps (3 added)\n1 Step (1 changed, 2 removed)\n');
  });

  it('names each Step with what starts it, and one that was swapped alone', () => {
    start();
    const named = [{ change: 'added', step: 'Greet', file: 'steps/greet.step.ts', triggers: ['POST /greet', 'queue greeted'] }];
    log('catalog changed', { steps: 1, added: 1, changed: 0, removed: 0, swapped: 0, named });
    log('catalog changed', { steps: 1, added: 0, changed: 0, removed: 0, swapped: 1, named: [{ ...named[0], change: 'swapped' }] });
    expect(written).to.equal('1 Step (1 added)\n  +  POST /greet    Greet  steps/greet.step.ts\n  +  queue greeted  Greet  steps/greet.step.ts\n'
      + '  ↻  swapped  Greet  steps/greet.step.ts\n');
  });

  it('has a line for each request', () => {
    log('request', { stepName: 'GetUser', traceId: '1b7e66b1'.repeat(4), method: 'GET', path: '/users/7', status: 200, ms: 3.2, ip: '127.0.0.1' });
    log('request', { method: 'POST', path: '/nothing', status: 404, ms: 1 });
    expect(written).to.equal('03:04:05.678  GET  /users/7  200  3.2 ms  GetUser  trace=1b7e66b1\n'
      + '03:04:05.678  POST /nothing  404  1 ms  trace=00000000\n');
  });

  it('shows what a process prints as it was printed, with the Step and the trace where there are some', () => {
    log('worker output', { instance: 'modules::steps::StepsModule', line: 'db.ts is evaluated', stream: 'stdout', worker: 'node-0-1' });
    log('two\nlines', { stepName: 'Greet', traceId: '1b7e66b1'.repeat(4), stream: 'stderr' });
    log('worker output', { stepName: 'Greet', line: 'not ours' });
    expect(written).to.equal('03:04:05.678 db.ts is evaluated\n03:04:05.678 [Greet] two\nlines  trace=1b7e66b1\n');
    expect(passed).to.have.length(1);
  });

  it('gives the lines of a Step the trace that the commands take, and says nothing of the store', () => {
    log('greeting', { stepName: 'Greet', traceId: '1b7e66b1'.repeat(4), name: 'Ada' });
    log('store is open', { file: 'treadle.db' });
    expect([written, passed]).to.deep.equal(['', ['greeting {"name":"Ada","trace":"1b7e66b1"}']]);
  });

  it('leaves every other record as it is, also one of a Step that uses the engine\'s words', () => {
    log('a handler failed', { level: 'error', step: 'Hello' });
    log('ready', { stepName: 'Hello', ms: 1 });
    log('status changed', { status: 'degraded' });
    expect(written).to.equal('');
    expect(passed).to.deep.equal(['a handler failed {"step":"Hello"}', 'ready {"ms":1}', 'status changed {"status":"degraded"}']);
  });

  it('takes text in pieces and passes on what is no record', () => {
    const line = JSON.stringify({ ...RECORD, message: 'no Step has a problem any more' });
    output.write(line.slice(0, 10));
    output.write(`${line.slice(10)}\nplain\n{"a":1}\n`);
    expect(written).to.equal('no problems left\nplain\n{"a":1}\n');
  });
});
