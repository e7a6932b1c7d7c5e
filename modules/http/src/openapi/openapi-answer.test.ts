import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { type RunningModule, type RunOptions, runModule } from '../module-run.fixture.js';
import { call } from '../raw-client.fixture.js';

describe('GET /openapi.json', () => {
  let run: RunningModule | undefined;
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'treadle-openapi-'));
    writeFileSync(join(root, 'package.json'), '{"version":"4.5.6"}');
  });
  afterEach(async () => {
    await run?.stop();
    rmSync(root, { recursive: true, force: true });
  });
  const start = async (options: RunOptions): Promise<string> => {
    run = await runModule({ root, ...options });
    run.hub.add({ method: 'GET', path: '/tickets/:id' }, () => ({ status: 200 }), 'GetTicket');
    return `${run.url}/openapi.json`;
  };

  it('describes the Steps as they are now, in development', async () => {
    const url = await start({ mode: 'development' });
    const first = JSON.parse((await call(url)).text) as { info: object; paths: object };
    expect(first.info).to.deep.equal({ title: 'test', version: '4.5.6' });
    expect(first.paths).to.have.keys('/tickets/{id}');
    run!.hub.add({ method: 'POST', path: '/tickets' }, () => ({ status: 201 }), 'CreateTicket');
    const response = await call(url);
    const second = JSON.parse(response.text) as { paths: object };
    expect(second.paths).to.have.keys('/tickets/{id}', '/tickets');
    expect(response.headers).to.include({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
    expect((await new Validator().validate(second as never)).valid).to.equal(true);
    expect((await call(url, { method: 'HEAD' })).status).to.equal(200);
    expect((await call(url, { method: 'POST' })).status).to.equal(404);
  });

  it('does not exist in production', async () => {
    expect((await call(await start({ mode: 'production' }))).status).to.equal(404);
  });

  it('gives way to a Step and to a file, as production would', async () => {
    mkdirSync(join(root, 'public'));
    writeFileSync(join(root, 'public/openapi.json'), '"a file"');
    const url = await start({ mode: 'development', config: { static: [{ path: '/', dir: 'public' }] } });
    expect((await call(url)).text).to.equal('"a file"');
    run!.hub.add({ method: 'GET', path: '/openapi.json' }, () => ({ status: 200, body: { kind: 'text', value: 'a Step' } }));
    expect((await call(url)).text).to.equal('a Step');
  });
});
