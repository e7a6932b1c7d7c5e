import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { requirePython } from '../support/require-python.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const BEFORE = fileURLToPath(new URL('../fixtures/migrate/before', import.meta.url));
const CLI = fileURLToPath(new URL('../../cli/bin/run.js', import.meta.url));
const run = promisify(execFile);

describe('an application of Motia that was migrated', function () {
  // Several processes in two languages, one after the other: each takes seconds on a machine with much else to do.
  this.timeout(120_000);
  after(stopAllEngines);

  it('passes check, and answers over HTTP, queue, state and streams in both languages', async function () {
    await requirePython(this);
    const folder = tempApplication({});
    cpSync(BEFORE, folder, { recursive: true });
    await run(process.execPath, [CLI, 'migrate', '--write', '--force'], { cwd: folder });
    // A machine that has much else to do is no reason to refuse requests here.
    const config = join(folder, 'config.yaml');
    writeFileSync(config, readFileSync(config, 'utf8').replace('handler_timeout_ms: 30000', '$&\n      max_event_loop_delay_ms: 60000'));
    const { stdout } = await run(process.execPath, [CLI, 'check'], { cwd: folder });
    expect(stdout).to.contain('10 Steps in 10 files: valid. 12 triggers, 1 stream.');
    const engine = new EngineProcess({ cwd: folder, args: ['--config', 'config.yaml'], env: { STREAM_PORT: '0', HTTP_PORT: '0', CONSOLE_PORT: '0' } });
    const url = await engine.ready();
    const order = (key: string): Promise<Response> => fetch(`${url}/orders`, {
      method: 'POST', headers: { 'content-type': 'application/json', 'x-key': key }, body: JSON.stringify({ item: 'rye' }),
    });
    expect((await order('none')).status).to.equal(401);
    const taken = await order('crumb');
    expect([taken.status, (await taken.json() as { item: string }).item]).to.deep.equal([201, 'rye']);
    expect(await answerOf(`${url}/prices/rye`)).to.deep.equal({ item: 'rye', price: 4, asked: 1 });
    expect(await answerOf(`${url}/orders?page=1`)).to.deep.equal({ orders: [{ item: 'rye', count: 1 }], counted: 1, shown: 1 });
    await waitUntil('the message and the change', () => engine.output.includes('"message":"baking"') && engine.output.includes('"message":"changed"'));
  });
});

async function answerOf(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}
