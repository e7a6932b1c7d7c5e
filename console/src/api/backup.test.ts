import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILTIN_PLUGINS } from '@treadle/engine';
import { expect } from 'chai';
import { type ConsoleUnderTest, moduleOf, startConsole, statusAndJson } from '../console.fixture.js';

const state = (adapter: string): string => `  - class: modules::state::StateModule\n    config: { adapter: { class: modules::state::adapters::${adapter} } }\n`;
const plugins = BUILTIN_PLUGINS.filter(({ name }) => name !== '@treadle/console');

/** A module that has a store of its own, as the adapters of the embedded store do. */
const other = moduleOf('acme::vault::VaultModule', ({ admin }) => {
  admin.get('/store', async () => ({ file: '/zz/vault.db', driver: 'none', durability: 'full' }));
  admin.post('/backup', async ({ body }) => {
    const { file } = body as { file: string };
    writeFileSync(file, 'vault');
    return { file, bytes: 5 };
  });
});

describe('backup', () => {
  let console: ConsoleUnderTest | undefined;
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'treadle-backup-'));
  });
  afterEach(async () => {
    await console?.test.stop();
    console = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  const backup = async (file: unknown): Promise<unknown> => statusAndJson(await (console as ConsoleUnderTest).ask('POST', '/api/v1/backup', { file }));

  it('copies the embedded store of a running engine, which goes on', async () => {
    console = await startConsole({ plugins, modules: state('Sqlite') });
    await console.ask('PUT', '/api/v1/state/groups/g/keys/k', { value: 1 });
    const file = join(folder, 'copy.db');
    expect(await backup(file)).to.deep.equal([200, {
      files: [{ store: join(console.test.dataDir, 'treadle.db'), file, bytes: statSync(file).size }], notCopied: [],
    }]);
    expect((await console.ask('GET', '/api/v1/state/groups/g/keys/k')).json).to.deep.equal({ key: 'k', value: 1, revision: 1 });
  });

  it('refuses a file that exists and leaves it alone', async () => {
    console = await startConsole({ plugins, modules: state('Sqlite') });
    const file = join(folder, 'copy.db');
    writeFileSync(file, 'mine');
    expect(await backup(file)).to.deep.equal([409, { status: 409, detail: `"${file}" exists already; choose another file`, code: 'file_exists' }]);
    expect(statSync(file).size).to.equal(4);
  });

  it('numbers the copies of several stores, and writes none when one of the names is taken', async () => {
    console = await startConsole({ plugins: [...plugins, other], modules: `${state('Sqlite')}  - class: acme::vault::VaultModule\n` });
    writeFileSync(join(folder, 'b-2.db'), 'mine');
    expect(await backup(join(folder, 'b.db'))).to.deep.equal([409, { status: 409, detail: `"${join(folder, 'b-2.db')}" exists already; choose another file`, code: 'file_exists' }]);
    expect(existsSync(join(folder, 'b-1.db'))).to.equal(false);
    const [status, report] = await backup(join(folder, 'c.db')) as [number, { files: { file: string }[] }];
    expect([status, report.files.map(({ file }) => file)]).to.deep.equal([200, [join(folder, 'c-1.db'), join(folder, 'c-2.db')]]);
  });

  it('says what is in no copy', async () => {
    console = await startConsole({ plugins: [...plugins, other], modules: `${state('KvStore')}  - class: acme::vault::VaultModule\n` });
    const [status, report] = await backup(join(folder, 'c.db')) as [number, { notCopied: string[] }];
    expect([status, report.notCopied]).to.deep.equal([200, ['modules::state::adapters::KvStore']]);
  });

  it('says so when there is nothing to copy', async () => {
    console = await startConsole({ plugins, modules: state('KvStore') });
    expect(await backup(join(folder, 'c.db'))).to.deep.equal([409, { status: 409, detail: 'no adapter of this engine keeps its data in an embedded store on disk', code: 'nothing_to_back_up' }]);
  });

  it('wants an absolute path', async () => {
    console = await startConsole({ plugins, modules: state('Sqlite') });
    for (const file of [undefined, 7, 'copy.db', '']) expect((await backup(file) as [number])[0]).to.equal(400);
  });
});
