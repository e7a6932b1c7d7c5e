import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TreadleError } from '@treadle/api';
import { expect } from 'chai';
import { createTestComposition, type TestComposition } from './index.js';

const PROBE = fileURLToPath(new URL('../../fixtures/acme-probe', import.meta.url));

describe('createTestComposition', () => {
  let root: string;
  let test: TestComposition | undefined;
  beforeEach(() => { root = mkdtempSync(join(tmpdir(), 'treadle-root-')); });
  afterEach(async () => {
    await test?.stop();
    test = undefined;
    rmSync(root, { recursive: true, force: true });
  });
  const probe = (config: string): string =>
    `plugins: [${relative(root, PROBE)}]\nengine: { implicit_modules: false }\nmodules:\n  - class: acme::probe::ProbeModule\n    config: ${config}\n`;

  it('starts a configuration and tells its addresses and logs', async () => {
    test = await createTestComposition({ root, yaml: probe('{ label: hello }') });
    expect(await (await fetch(test.url('probe.main'))).json()).to.deep.include({ label: 'hello' });
    expect(test.engine.health.report()).to.deep.equal({ status: 'ok' });
    expect(test.logs).to.be.an('array');
    expect(() => test?.url('http')).to.throw('nothing announced "http"; known: probe.main');
  });

  it('runs the default configuration on free ports, with nothing given', async () => {
    test = await createTestComposition();
    const address = test.url('http');
    expect(new URL(address).port).not.to.equal('3111');
    expect([200, 503]).to.include((await fetch(`${address}/health`)).status);
  });

  it('adds the implicit modules on free ports, too', async () => {
    test = await createTestComposition({ yaml: 'modules: []' });
    expect(test.plan.entries.map((entry) => entry.implicit)).to.deep.equal(Array.from({ length: 8 }, () => true));
    expect(new URL(test.url('http')).port).not.to.equal('3111');
  });

  it('leaves nothing in the root and removes its data directory', async () => {
    test = await createTestComposition({ root, yaml: probe('{}') });
    expect(readdirSync(root)).to.deep.equal([]);
    const report = await test.stop();
    expect(report.errors).to.deep.equal([]);
    expect(existsSync(test.dataDir)).to.equal(false);
  });

  it('sees only the environment that it is given', async () => {
    test = await createTestComposition({ root, yaml: probe('{}'), env: { PROBE_LABEL: 'given' } });
    expect(await (await fetch(test.url('probe.main'))).json()).to.deep.include({ label: 'given' });
  });

  it('reloads', async () => {
    test = await createTestComposition({ root, yaml: probe('{ label: one }') });
    const report = await test.reload(probe('{ label: two }'));
    expect(report.restarted).to.deep.equal(['acme::probe::ProbeModule']);
    expect(await (await fetch(test.url('probe.main'))).json()).to.deep.include({ label: 'two' });
  });

  it('throws every finding of an invalid configuration', async () => {
    const made = createTestComposition({ root, yaml: probe('{ labl: x, port: y }') });
    const error = await made.then(() => undefined, (reason: Error) => reason);
    expect(error?.message).to.contain('CONFIG_UNKNOWN_KEY').and.contain('CONFIG_BAD_VALUE');
  });

  it('throws the error of a start that fails', async () => {
    const made = createTestComposition({ root, yaml: probe('{ trouble: start }') });
    const error = await made.then(() => undefined, (reason: unknown) => reason);
    expect(error).to.be.instanceOf(TreadleError).with.property('code', 'MODULE_START_FAILED');
  });
});
