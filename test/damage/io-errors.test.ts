import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { canCutPower } from '../power-cut/src/library.js';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { requireOrSkip } from '../support/requirement.js';
import { tempApplication, tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const SOURCE = fileURLToPath(new URL('src/io-error.c', import.meta.url));
const CONFIG = (adapter: string): string => `modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: false }
  - class: modules::stream::StreamModule
    config: { port: 0 }
  - class: modules::console::ConsoleModule
    config: { port: 0 }
  - class: modules::state::StateModule
    config: { adapter: { class: modules::state::adapters::${adapter}, config: { store_method: file_based } } }
`;
/** More than either store keeps of its file in memory. */
const STEP = `import { http, step } from 'treadle';
const key = () => 'k' + Math.floor(Math.random() * 200);
export default step({ name: 'A', triggers: [http('POST', '/a'), http('GET', '/a')] }, async ({ method }, { state }) => ({
  status: 200, body: { is: (method === 'GET' ? await state.get('g', key()) : await state.set('g', key(), 'x'.repeat(60_000))) !== null },
}));
`;
const STORES = [['Sqlite', 'treadle.db'], ['KvStore', 'kv_store.db']] as const;
/** Files that the stores read and write themselves, without SQLite. */
const OWN_FILES = [
  ['Sqlite', 'treadle.db-wal', 'read'], ['Sqlite', 'treadle.db-shm', 'read'], ['Sqlite', 'treadle.db.mark', 'write'], ['Sqlite', 'treadle.db.mark', 'sync'],
  ['KvStore', 'kv_store.db-wal', 'read'], ['KvStore', 'kv_store.db.pid', 'write'],
] as const;

describe('a disk that reports errors', function () {
  this.timeout(120_000);
  let library: string;
  before(function () {
    requireOrSkip(this, canCutPower(), 'needs Linux and gcc');
    library = join(tempFolder(), 'io-error.so');
    execFileSync('gcc', ['-O2', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC', '-o', library, SOURCE, '-ldl'], { encoding: 'utf8' });
  });
  afterEach(stopAllEngines);

  const start = (adapter: string, file: string, what: string, flag?: string): EngineProcess => new EngineProcess({
    cwd: tempApplication({ 'config.yaml': CONFIG(adapter), 'steps/a.step.ts': STEP }), args: ['--config', 'config.yaml'],
    env: { LD_PRELOAD: library, IO_ERROR_WHAT: what, IO_ERROR_FILE: file, ...flag === undefined ? {} : { IO_ERROR_FLAG: flag } },
  });

  for (const [adapter, file] of STORES) {
    for (const what of ['open', 'read', 'write', 'sync']) {
      it(`keeps ${adapter} from starting with 74 when it cannot ${what}`, async () => {
        const engine = start(adapter, file, what);
        const { code } = await engine.exit;
        expect(code, engine.output).to.equal(74);
        expect(engine.output).to.match(/^error {2}(?:STORE_UNUSABLE|FILE_NOT_WRITABLE) {2}/m).and.contain(file);
      });
    }

    for (const what of ['read', 'write', 'sync']) {
      it(`ends an engine with ${adapter} with 74 when it cannot ${what} any more`, () => failWhileRunning(adapter, file, what));
    }
  }

  for (const [adapter, file, what] of OWN_FILES) {
    it(`ends an engine with ${adapter} with 74 when it cannot ${what} "${file}" any more`, () => failWhileRunning(adapter, file, what));
  }

  it('ends an engine with 74 that has nothing to do when its look at the log fails', async () => {
    const flag = join(tempFolder(), 'from-now-on');
    const engine = start('Sqlite', 'treadle.db-wal', 'read', flag);
    expect((await request('POST', `${await engine.ready()}/a`)).status).to.equal(200);
    writeFileSync(flag, '');
    expect((await engine.exit).code, engine.output).to.equal(74);
    expect(engine.output).to.match(/STORE_(?:FAILED|DAMAGED)/);
  });

  async function failWhileRunning(adapter: string, file: string, what: string): Promise<void> {
    const flag = join(tempFolder(), 'from-now-on');
    const engine = start(adapter, file, what, flag);
    const url = await engine.ready();
    for (let count = 0; count < 200; count++) expect((await request('POST', `${url}/a`)).status).to.equal(200);
    writeFileSync(flag, '');
    await waitUntil('the end', async () => {
      if (engine.ended) return true;
      await Promise.all(['GET', 'POST'].map((method) => request(method, `${url}/a`).catch(() => undefined)));
      return engine.ended;
    });
    expect((await engine.exit).code, engine.output).to.equal(74);
    expect(engine.output).to.match(/STORE_(?:FAILED|DAMAGED)/);
  }
});
