import { copyFileSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type KvRecord, readKvRecord, type StateAdapter } from '@treadle/api';
import { checkStore } from '@treadle/engine';
import { errorOf, type RunningAdapter, startAdapter } from '@treadle/testing';
import { expect } from 'chai';
import { tempFolder } from '../support/temp-folder.js';

const VALUES = 10;
const FILE = 'data/kv.db';
/** Of SQLite's log: its header, and the header of a frame with its page. */
const [LOG_HEADER, FRAME] = [32, 24 + 4096];

/** Turns a byte of a log over. */
function turn(file: string, at: number): void {
  const content = readFileSync(`${file}-wal`);
  content.writeUInt8(content.readUInt8(at) ^ 0xff, at);
  writeFileSync(`${file}-wal`, content);
}

/** What was harmed, what a KvStore says that is started on it, and what a check says. */
interface Harm {
  readonly harm: (file: string) => void;
  readonly start: RegExp;
  readonly check: RegExp;
}

const WAYS: Readonly<Record<string, Harm>> = {
  'the log lost its end': {
    harm: (file) => truncateSync(`${file}-wal`, statSync(`${file}-wal`).size - 5_000),
    start: /\d+ bytes of ".*kv\.db-wal" were acknowledged, and \d+ of them are there/,
    check: /\d+ bytes of ".*kv\.db-wal" were acknowledged \(".*kv\.db\.pid"\), and \d+ of them are there/,
  },
  'another byte is in the header of the log': {
    harm: (file) => turn(file, 18), start: /the header of ".*kv\.db-wal" is not what was written/, check: /the header of ".*kv\.db-wal" is not what was written/,
  },
  'another byte is in the fourth frame': {
    harm: (file) => turn(file, LOG_HEADER + 3 * FRAME + 100),
    start: /\d+ frames of ".*kv\.db-wal" were acknowledged, and frame 4 is not what was written/,
    check: /\d+ frames of ".*kv\.db-wal" were acknowledged \(".*kv\.db\.pid"\), and it is sound up to frame [0-3]$/,
  },
};

/** One package writes the files and judges them at its next start, another judges them for `treadle store check`. */
describe('what a KvStore leaves that was killed', () => {
  const start = (root: string): Promise<RunningAdapter<StateAdapter>> => startAdapter<StateAdapter>({
    plugin: '@treadle/plugin-keyv', classId: 'modules::state::adapters::KvStore', slot: 'state', config: { store_method: 'file_based', file_path: 'kv.db' }, root,
  });

  /** The folder of an engine with the files as they were in the middle of its life. */
  async function died(): Promise<string> {
    const [alive, root] = [tempFolder(), tempFolder()];
    const running = await start(alive);
    const decision = { action: 'set', value: 'v'.repeat(3_000) } as const;
    for (let index = 0; index < VALUES; index += 1) {
      await running.adapter.write({ group: 'g', key: `k${index}`, next: () => decision, always: decision, recordChange: false });
    }
    mkdirSync(dirname(join(root, FILE)));
    for (const suffix of ['', '-wal', '.pid']) copyFileSync(join(alive, FILE + suffix), join(root, FILE + suffix));
    await running.stop();
    return root;
  }

  it('is on record and found sound by a check, and has all values at the next start', async () => {
    const root = await died();
    const record: KvRecord = readKvRecord(readFileSync(join(root, `${FILE}.pid`), 'utf8'));
    expect(record).to.deep.include({ pid: process.pid, logBytes: statSync(join(root, `${FILE}-wal`)).size });
    const { state, findings, files } = checkStore(join(root, FILE));
    expect({ state, findings }).to.deep.equal({ state: 'sound', findings: [] });
    expect(files).to.include({ marked: true, logBytes: record.logBytes });
    expect(record.log.frames, 'frames').to.be.within(VALUES, files?.logFrames ?? 0);
    const running = await start(root);
    for (let index = 0; index < VALUES; index += 1) expect(await running.adapter.get('g', `k${index}`)).to.not.equal(undefined);
    await running.stop();
  });

  for (const [way, { harm, start: refusal, check: finding }] of Object.entries(WAYS)) {
    it(`is refused by the next start and found damaged by a check when ${way}`, async () => {
      const root = await died();
      harm(join(root, FILE));
      const { state, findings } = checkStore(join(root, FILE));
      expect(state).to.equal('damaged');
      expect(findings[0]).to.match(finding);
      const error = await errorOf(() => start(root));
      expect(error).to.include({ code: 'STORE_DAMAGED' });
      expect(error.message).to.match(refusal);
    });
  }
});
