import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { contentHash } from '@treadle/worker/content-hash';
import { expect } from 'chai';
import { changedSources, findLocalFiles } from './local-files.js';

const SOURCE = 'export const config = {};\n';
const A = { name: 'A', file: 'steps/a.step.ts', hash: contentHash(SOURCE), runtime: 'node', module: 'steps/a.step.mjs', config: {} } as const;
const LOCK = { format: 1, name: 'app', build: '1', steps: [A], streams: [], sources: { 'steps/a.step.ts': contentHash(SOURCE), 'src/b.ts': contentHash('b') } };

describe('the files that an engine runs itself', () => {
  let root: string;
  beforeEach(async () => { root = await mkdtemp(join(tmpdir(), 'treadle-local-')); });
  afterEach(() => rm(root, { recursive: true, force: true }));
  const write = async (file: string, text: string): Promise<void> => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  };

  it('are those of the build in production, and the sources in development', async () => {
    await write('dist/treadle.lock.json', JSON.stringify(LOCK));
    await write('steps/other.step.ts', SOURCE);
    const built = await findLocalFiles({ root, mode: 'production' });
    expect(built.files).to.deep.equal([{ file: 'steps/a.step.ts', version: A.hash }]);
    expect(built.build).to.deep.equal({ dist: join(root, 'dist'), lock: LOCK });
    const sources = await findLocalFiles({ root, mode: 'development' });
    expect([sources.files.map(({ file }) => file), sources.build]).to.deep.equal([['steps/other.step.ts'], undefined]);
  });

  for (const [what, text, reason] of [
    ['is no JSON', '{', 'it is not a JSON object'],
    ['is of another format', '{ "format": 2 }', 'it has format 2, not 1'],
    ['lacks what running needs', '{ "format": 1, "name": "app", "build": "1", "steps": [{}], "streams": [], "sources": {} }', 'it does not say what the build consists of'],
  ] as const) {
    it(`are refused when the lock file ${what}`, async () => {
      await write('dist/treadle.lock.json', text);
      const error: unknown = await findLocalFiles({ root, mode: 'production' }).then(() => undefined, (reasonOfAll: unknown) => reasonOfAll);
      expect(error).to.include({ code: 'BUILD_UNREADABLE', exitCode: 65, message: `the build cannot be run: dist/treadle.lock.json: ${reason}` });
    });
  }

  it('tell by content which sources have changed, are new or gone, and nothing where there are none', async () => {
    expect(await changedSources(root, LOCK)).to.deep.equal([]);
    await write('steps/a.step.ts', SOURCE);
    await write('src/b.ts', 'b');
    expect(await changedSources(root, LOCK)).to.deep.equal([]);
    await write('steps/a.step.ts', `${SOURCE}\n`);
    await write('steps/new.step.js', SOURCE);
    await rm(join(root, 'src/b.ts'));
    expect(await changedSources(root, LOCK)).to.deep.equal(['src/b.ts', 'steps/a.step.ts', 'steps/new.step.js']);
  });
});
