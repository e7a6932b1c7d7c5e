import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { type CommandOutcome, makeApp, removeApp, runCli, startCli, until } from '../cli.fixture.js';

const CONFIG = `engine: { implicit_modules: false }
modules:
  - class: modules::steps::StepsModule
    config: { port: 0 }
  - class: modules::http::HttpModule
    config: { port: 0 }
  - class: modules::queue::QueueModule
  - class: modules::state::StateModule
  - class: modules::cron::CronModule
  - class: modules::stream::StreamModule
    config: { port: 0 }
  - class: modules::observability::OtelModule
  - class: modules::console::ConsoleModule
    config: { port: 0 }
`;
const FILES = {
  'config.yaml': CONFIG,
  'package.json': '{ "type": "module" }',
  'steps/send.step.ts': `
import { queue, step } from 'treadle';
export default step({ name: 'Send', triggers: [queue('mail', { config: { maxAttempts: 1 } })] }, async (input: any, { state }) => {
  if (input.to === null) throw new Error('nobody to send to');
  await state.set('sent', input.to, input);
});`,
  'steps/archive.step.ts': `
import { queue, step } from 'treadle';
export default step({ name: 'Archive', triggers: [queue('mail')] }, async (input: any, { state }) => {
  await state.update('archive', 'all', [{ type: 'append', value: input.to }]);
});`,
  'steps/night.step.ts': `
import { cron, step } from 'treadle';
export default step({ name: 'Night', triggers: [cron('0 3 * * *', { timezone: 'Europe/Berlin' })] }, async (_input, { state, streams }: any) => {
  await state.set('night', 'ran', true);
  await streams.news.set('night', 'last', { ran: true });
});`,
  'steps/news.stream.ts': "export const config = { name: 'news', schema: { type: 'object' } };\n",
};

describe('commands and a real engine', function () {
  this.timeout(120_000);
  let app: string;
  let engine: ChildProcess;

  before(async () => {
    app = makeApp(FILES);
    const { NODE_OPTIONS: _loader, ADMIN_TOKEN: _token, ...env } = process.env;
    engine = spawn(process.execPath, [join(app, 'node_modules', '@treadle', 'engine', 'bin', 'treadle-engine.js'), '--config', 'config.yaml'], { cwd: app, env, stdio: 'ignore' });
    await until(async () => {
      const url = addresses()['http'];
      return url !== undefined && (await fetch(`${url}/health`).catch(() => undefined))?.status === 200;
    });
  });
  after(async () => {
    const ended = once(engine, 'exit');
    engine.kill('SIGTERM');
    await ended;
    removeApp(app);
  });

  const addresses = (): Readonly<Record<string, string>> => {
    const file = join(app, 'data', 'engine.json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { addresses: Record<string, string> }).addresses : {};
  };
  const run = (...args: string[]): Promise<CommandOutcome> => runCli(args, { cwd: app, env: { ADMIN_TOKEN: undefined, TREADLE_ADMIN_URL: undefined } });
  const json = async <T>(...args: string[]): Promise<T> => {
    const { code, stdout, stderr } = await run(...args, '--json');
    expect({ code, stderr }, stdout).to.deep.equal({ code: 0, stderr: '' });
    return JSON.parse(stdout) as T;
  };
  const printed = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    return stdout;
  };
  const keyOf = async (group: string, key: string): Promise<unknown> => {
    const { code, stdout } = await run('state', 'get', group, key);
    return code === 0 ? JSON.parse(stdout) as unknown : undefined;
  };

  it('redrive a dead letter, edited, to the Step that failed; the other Step heard the message once', async () => {
    expect(await printed('queue', 'publish', 'mail', '{"to": null}')).to.match(/^enqueued \S+\n$/);
    let letters: { id: string; step: string; reason: string }[] = [];
    await until(async () => {
      ({ items: letters } = await json<{ items: typeof letters }>('queue', 'dlq', 'Send'));
      return letters.length === 1;
    });
    const [letter] = letters;
    expect(letter).to.include({ step: 'Send', reason: 'max_attempts' });
    expect(await printed('queue', 'dlq', '--id', letter?.id ?? '')).to.contain('nobody to send to').and.contain('"to": null');
    expect(await printed('queue', 'redrive', '--id', letter?.id ?? '', '--data', '{"to": "ann"}')).to.equal('redriven: 1 message\n');
    await until(async () => (await keyOf('sent', 'ann')) !== undefined);
    await until(async () => (await keyOf('archive', 'all')) !== undefined);
    expect(await keyOf('archive', 'all')).to.deep.equal([null]);
    expect(await printed('queue', 'dlq')).to.equal('No dead letters.\n');
  });

  it('refuse to redrive or discard a letter that is not there', async () => {
    for (const args of [['redrive', '--id', '999'], ['dlq', '--discard', '--id', '999']]) {
      const { code, stdout, stderr } = await run('queue', ...args);
      expect({ code, stdout, stderr }).to.deep.equal({ code: 1, stdout: '', stderr: 'error  NOT_FOUND  there is no dead letter "999"\n' });
    }
  });

  it('pause a Step, see what gathers, purge it and resume', async () => {
    expect(await printed('queue', 'pause', 'Send')).to.equal('Send is paused: mail\n');
    await printed('queue', 'publish', 'mail', '{"to": "bob"}');
    expect(await printed('queue', 'peek', 'Send')).to.contain('{"to":"bob"}');
    expect(await printed('queue', 'list')).to.match(/^Send +mail +paused +1 /m);
    expect(await printed('queue', 'purge', 'Send')).to.equal('removed 1 message of Send in mail\n');
    expect(await printed('queue', 'resume', 'Send')).to.equal('Send is running: mail\n');
    expect(await keyOf('sent', 'bob')).to.equal(undefined);
  });

  it('read and write state', async () => {
    expect(await printed('state', 'set', 'cli/group', '..', '{"n": 1}', '--revision', '0')).to.equal('stored cli/group .., revision 1\n');
    expect((await run('state', 'set', 'cli/group', '..', '2', '--revision', '7')).stderr).to.equal('error  USAGE  key ".." of group "cli/group" has revision 1, not revision 7\n');
    expect(await printed('state', 'list', 'cli/group')).to.equal('KEY  REVISION  VALUE\n..   1         {"n":1}\n1 key.\n');
    expect(await printed('state', 'list', '--prefix', 'cli')).to.equal('cli/group\n1 group.\n');
    expect(await printed('state', 'delete', 'cli/group', '..')).to.equal('removed cli/group ..\n');
    expect((await run('state', 'delete', 'cli/group', '..')).code).to.equal(1);
  });

  it('run a cron trigger now and watch the stream that it writes', async () => {
    const { url, begun, close } = await eventsBegin(addresses()['console'] ?? '');
    const watching = startCli(['stream', 'watch', 'news', 'night', '--json', '--url', url], { cwd: app, env: { ADMIN_TOKEN: undefined } });
    let seen = '';
    watching.stdout?.on('data', (piece: Buffer) => void (seen += piece.toString('utf8')));
    await begun;
    expect(await printed('cron', 'list')).to.match(/^Night .*0 3 \* \* \* +Europe\/Berlin +active +\d{4}-\d\d-\d\d 0[12]:00:00Z +-$/m);
    expect(await printed('cron', 'run', 'Night')).to.match(/^run \S+ of Night has begun, trace [0-9a-f]{32}\n$/);
    await until(() => seen.includes('\n'));
    expect(JSON.parse(seen)).to.deep.include({ streamName: 'news', groupId: 'night', id: 'last', event: { type: 'create', data: { ran: true } } });
    const ended = once(watching, 'exit');
    watching.kill('SIGINT');
    expect(await ended).to.deep.equal([0, null]);
    close();
    expect(seen.trimEnd().split('\n')).to.have.length(1);
    // The stream is written before the run has come to its end.
    await until(async () => (await printed('cron', 'runs', 'Night')).includes(' succeeded '));
    expect(await printed('cron', 'pause', 'Night')).to.equal('Night is paused\n');
    expect(await printed('cron', 'list')).to.match(/Europe\/Berlin +paused +- +succeeded, /);
    expect(await printed('cron', 'resume', 'Night')).to.equal('Night is running\n');
    expect(await printed('cron', 'runs', 'Night')).to.match(/ succeeded +1 +\d+ ms +[0-9a-f]{32} *\n1 run\.\n$/);
  });

  it('compare two runs of a cron trigger, and write the log to a file', async () => {
    const ids: string[] = [];
    for (let runs = 0; runs < 2; runs += 1) ids.push(/trace ([0-9a-f]{32})/.exec(await printed('cron', 'run', 'Night'))?.[1] ?? '');
    await until(async () => (await Promise.all(ids.map((id) => run('traces', id)))).every(({ stdout }) => stdout.includes('handler Night') && !stdout.includes('not kept')));
    const { matched, onlyInA, onlyInB, rows } = await json<{ matched: number; onlyInA: number; onlyInB: number; rows: { name: string }[] }>('traces', 'compare', ...ids);
    expect([onlyInA, onlyInB, matched]).to.deep.equal([0, 0, rows.length]);
    expect(rows.map(({ name }) => name)).to.include.members(['handler Night', 'state.set', 'stream.set']);
    expect(await printed('traces', 'compare', ...ids)).to.match(/\nno difference but in durations\n$/);
    expect(await printed('logs', '--export', 'night.ndjson')).to.match(/^night\.ndjson: \d+ lines?\n$/);
    for (const line of readFileSync(join(app, 'night.ndjson'), 'utf8').trimEnd().split('\n')) expect(JSON.parse(line)).to.have.property('level');
  });

  it('copy the store once for all four blocks, and no second time to the same file', async () => {
    const { files, notCopied } = await json<{ files: { file: string; bytes: number }[]; notCopied: string[] }>('backup', 'copy.db');
    expect({ files: files.map(({ file }) => file), notCopied }).to.deep.equal({ files: [join(app, 'copy.db')], notCopied: [] });
    expect(statSync(join(app, 'copy.db')).size).to.equal(files[0]?.bytes);
    expect(await run('backup', 'copy.db')).to.deep.equal({ code: 64, stdout: '', stderr: `error  USAGE  "${join(app, 'copy.db')}" exists already; choose another file\n` });
  });
});

/** Stands before the admin API and tells when the engine has begun to answer, as it then sends events: what comes before is not for who watches. */
async function eventsBegin(address: string): Promise<{ readonly url: string; readonly begun: Promise<void>; close(): void }> {
  let begins = (): void => undefined;
  const begun = new Promise<void>((resolve) => { begins = resolve; });
  const server = createServer((asked, answer) => {
    const engine = request(new URL(asked.url ?? '', address), { method: asked.method, headers: { ...asked.headers, host: new URL(address).host } }, (response) => {
      answer.writeHead(response.statusCode ?? 0, response.headers);
      response.on('error', () => answer.destroy()).pipe(answer);
      begins();
    });
    engine.on('error', () => answer.destroy()).end();
    answer.on('close', () => engine.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, begun, close: () => void server.close() };
}
