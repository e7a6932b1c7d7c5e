import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { ContextReaders, requiresReaders } from './context-readers.js';

const SDK = import.meta.resolve('treadle');

describe('readers of the context', () => {
  let folder: string;
  let flag: Uint8Array;
  let readers: ContextReaders;
  const url = (file: string): string => pathToFileURL(join(folder, file)).href;

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'treadle-readers-')));
    flag = new Uint8Array(1);
    readers = new ContextReaders(flag, (each) => each.startsWith(pathToFileURL(folder).href));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Loads a module whose imports of `treadle` are resolved. */
  function load(source: string | Uint8Array, format = 'module'): number {
    readers.loads(url('a.js'));
    readers.loaded(url('a.js'), format, source);
    if (String(source).includes('import')) readers.resolved(SDK, url('a.js'));
    return flag[0] ?? 0;
  }

  for (const source of [
    "import { step, http } from 'treadle';", 'import { step,\n  http } from "treadle";import "treadle";', "export { topic } from 'treadle';",
    "import { step } from 'treadle';\nconst lazy = () => import('./lib.js');", 'export const text = "the context of a treadle";',
    "import { step } from 'treadle';\nexport const names = ['treadle', { name: 'treadle' }];",
  ]) {
    it(`are none in: ${source.replaceAll('\n', ' ')}`, () => expect(load(source)).to.equal(0));
  }

  for (const source of [
    "import { step, getContext as here } from 'treadle';", "import * as treadle from 'treadle';", "import*as t from'treadle';",
    "export * from 'treadle';", "export * as t from 'treadle';", "const t = await import('treadle');", 'const t = await import(`treadle`);',
    "import { step } from 'treadle';\nconst t = await import('tre' + 'adle');", "const t = await import(['trea', 'dle'].join(''));",
    "import * as t from 'tre\\u0061dle';", "const t = createRequire(import.meta.url)('treadle');", "globalThis[Symbol.for('treadle.context')];",
    "import { step } from 'treadle'; import { x } from 'treadle/' + 1;\nconst t = require('treadle');",
  ]) {
    it(`are found in: ${source.replaceAll('\n', ' ')}`, () => expect(load(source)).to.equal(1));
  }

  it('are found in bytes as well, as Node hands them on', () => {
    expect(load(Buffer.from("import { getContext } from 'treadle';"))).to.equal(1);
  });

  it('may be whoever imports the package unseen', () => {
    readers.resolved(SDK, url('common.cjs'));
    expect(flag[0]).to.equal(1);
  });

  it('may be in a local file that was there before the hooks', () => {
    readers.resolved(url('late.js'), url('a.js'));
    readers.loads(url('late.js'));
    readers.settled();
    expect(flag[0]).to.equal(0);
    readers.resolved(url('early.js'), url('a.js'));
    readers.settled();
    expect(flag[0]).to.equal(1);
  });

  it('are looked for among what was required, whatever else a program put there', () => {
    const made = (children: readonly object[] | undefined): NodeJS.Module => ({ children }) as NodeJS.Module;
    const odd = { '/a/odd.js': made(undefined), '/a/none.js': undefined, '/a/nameless.js': made([{}]) };
    expect(requiresReaders(odd)).to.equal(false);
    expect(requiresReaders({ ...odd, '/a/b.js': made([{ filename: fileURLToPath(import.meta.resolve('@opentelemetry/api')) }]) })).to.equal(true);
    expect(requiresReaders({ ...odd, [fileURLToPath(SDK)]: made([]) })).to.equal(true);
  });
});
