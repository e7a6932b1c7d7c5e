import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { applicationName, LOCK_FILE_NAME, readBuildLock, readLockFile } from '@treadle/protocol/build-lock';
import { expect } from 'chai';
import { formatLock, makeLock } from '../../cli/dist/build/lock.js';
import { ROOT } from '../architecture/workspace.js';
import { tempFolder } from '../support/temp-folder.js';

const PYTHON = `import json, sys
from treadle.worker.build_lock import BuildLockError, application_name, read_build_lock, read_lock_file
def whole(root):
    try:
        return read_build_lock(root + "/dist")
    except BuildLockError:
        return None
def told(root):
    lock = read_lock_file(root)
    return [application_name(root, lock), lock.get("build")]
print(json.dumps([[whole(root), told(root)] for root in sys.argv[1:]]))`;

/** What a build is taken for: all of it, or undefined; the application's name, and the build's. */
type Reading = readonly [whole: unknown, told: readonly [string, string | null]];

describe('what a build writes down about itself', () => {
  const node = (root: string): Reading => {
    let whole: unknown;
    try {
      whole = readBuildLock(join(root, 'dist'));
    } catch {
      whole = undefined;
    }
    return [whole ?? null, [applicationName(root), readLockFile(root)?.build ?? null]];
  };
  const python = (roots: readonly string[]): Reading[] =>
    JSON.parse(execFileSync('python3', ['-c', PYTHON, ...roots], { cwd: join(ROOT, 'plugins/runtime-python/python'), encoding: 'utf8' })) as Reading[];
  const application = (files: Readonly<Record<string, string>>): string => {
    const root = tempFolder();
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    return root;
  };

  it('is read as it is by the engine, and by Step processes of both languages', () => {
    const root = application({ 'package.json': '{ "name": "shop" }', 'steps/a.step.ts': 'export {};' });
    const reports = ['steps/a.step.ts', 'steps/b_step.py'].map((file) => ({ file, version: 'h', steps: [{ config: { name: file }, line: 1 }] }));
    const lock = makeLock({ root, reports, modules: new Map(), sources: ['steps/a.step.ts'], outputs: new Map(), packages: [] });
    mkdirSync(join(root, 'dist'));
    writeFileSync(join(root, 'dist', LOCK_FILE_NAME), formatLock(lock));
    const expected: Reading = [lock, ['shop', lock.build]];
    expect([node(root), ...python([root])]).to.deep.equal([expected, expected]);
  });

  it('is refused alike when it lacks something, and names the application alike', () => {
    const whole = { format: 1, name: 'shop', build: 'b', steps: [], streams: [], sources: {} };
    const without = (change: object): string => JSON.stringify({ ...whole, ...change });
    const step = { file: 'a', hash: 'h', runtime: 'node', module: 'a' };
    const roots = [
      '[', '[]', 'null', '{}', without({ format: 2 }), without({ name: '' }), without({ build: 7 }), without({ sources: null }), without({ steps: {} }),
      without({ streams: [null] }), without({ steps: [{ ...step, runtime: 'perl' }] }), without({ steps: [{ ...step, hash: '' }] }), without({ steps: [step] }),
    ].map((text) => application({ [`dist/${LOCK_FILE_NAME}`]: text, [LOCK_FILE_NAME]: '{ "name": "of-the-root", "build": "r" }' }));
    roots.push(application({ [LOCK_FILE_NAME]: '{ "name": "of-the-root" }' }), application({ [LOCK_FILE_NAME]: '{ "build": "of-nobody" }' }));
    const read = roots.map(node);
    expect(python(roots)).to.deep.equal(read);
    expect(read.map(([found]) => found !== null)).to.deep.equal([...Array<boolean>(12).fill(false), true, false, false]);
    const dist = [['shop', 'b'], ['of-the-root', 'r']] as const;
    expect(read.map(([, told]) => told)).to.deep.equal([
      dist[1], dist[1], dist[1], dist[1], dist[0], dist[1], ['shop', null], dist[0], dist[0], dist[0], dist[0], dist[0], dist[0],
      ['of-the-root', null], [basename(roots.at(-1) ?? ''), null],
    ]);
  });
});
