import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { bundleHandlers } from '../../dist/build/bundle-handlers.js';
import { moduleNames } from '../../dist/build/module-names.js';
import { makeApp, removeApp } from '../cli.fixture.js';

describe('bundled handlers', function () {
  this.timeout(120_000);
  let folder = '';
  afterEach(() => removeApp(folder));

  /** Bundles the Steps, writes the result below `dist` and imports one of them. */
  async function bundled(files: Readonly<Record<string, string>>, entries: readonly string[], module: string): Promise<Readonly<Record<string, unknown>>> {
    folder = makeApp({ 'package.json': '{ "name": "app" }', ...files });
    const { outputs } = await bundleHandlers(folder, entries);
    for (const [file, text] of outputs) {
      mkdirSync(dirname(join(folder, 'dist', file)), { recursive: true });
      writeFileSync(join(folder, 'dist', file), text);
    }
    return await import(pathToFileURL(join(folder, 'dist', module)).href) as Readonly<Record<string, unknown>>;
  }

  it('are called like their sources, and keep the extension where two differ in nothing else', () => {
    expect([...moduleNames(['steps/a.step.ts', 'src/a.step.ts', 'steps/b.step.ts', 'steps/b.step.cjs'])]).to.deep.equal([
      ['steps/a.step.ts', 'steps/a.step.mjs'], ['src/a.step.ts', 'src/a.step.mjs'], ['steps/b.step.ts', 'steps/b.step.ts.mjs'], ['steps/b.step.cjs', 'steps/b.step.cjs.mjs'],
    ]);
  });

  it('know the place of their source by each name that it has, in chunks as well', async () => {
    const places = "export const url = import.meta.url, file = import.meta.filename, dir = import.meta.dirname; export const lines = 1;\n";
    const found = await bundled({
      'steps/deep er#1 100%/a.step.ts': `import * as shared from '../../src/shared.js';\n${places}export { shared };\n`,
      'steps/b.step.ts': "export { url } from '../src/shared.js';\n", 'src/shared.ts': places,
    }, ['steps/deep er#1 100%/a.step.ts', 'steps/b.step.ts'], 'steps/deep er#1 100%/a.step.mjs');
    const source = join(folder, 'steps/deep er#1 100%/a.step.ts');
    expect([found['url'], found['file'], found['dir']]).to.deep.equal([pathToFileURL(source).href, source, dirname(source)]);
    expect(found['shared']).to.include({ url: pathToFileURL(join(folder, 'src/shared.ts')).href, dir: join(folder, 'src') });
  });

  it('keep these names in texts, comments and patterns, and know them however they are written', async () => {
    const found = await bundled({
      'steps/e.step.ts': "// import.meta.url\nexport const texts = ['import.meta.url', `a ${1} import.meta.dirname`, /import.meta.filename/.source];\n"
        + "export const code = [`${import.meta.url}`, import.meta\n  .dirname, import.meta['url'], typeof import.meta.resolve];\n",
    }, ['steps/e.step.ts'], 'steps/e.step.mjs');
    const url = pathToFileURL(join(folder, 'steps/e.step.ts')).href;
    expect(found['texts']).to.deep.equal(['import.meta.url', 'a 1 import.meta.dirname', 'import.meta.filename']);
    expect(found['code']).to.deep.equal([url, join(folder, 'steps'), url, 'function']);
  });

  it('know it in CommonJS, and require packages of either kind', async () => {
    const found = await bundled({
      'steps/c.step.cjs': "'use strict'; // not import.meta.dirname\nconst { http } = require('treadle');\nexports.all = [__filename, __dirname, typeof http, typeof require('zod').z.object, require('node:path').sep];\n",
    }, ['steps/c.step.cjs'], 'steps/c.step.mjs');
    const source = join(folder, 'steps/c.step.cjs');
    expect((found['default'] as { all: unknown }).all).to.deep.equal([source, dirname(source), 'function', 'function', '/']);
  });

  it('leave alone what declares these names itself, and have no sources in their maps', async () => {
    const found = await bundled({
      'steps/d.step.ts': "import { dirname } from 'node:path';\nimport { fileURLToPath } from 'node:url';\nimport { createRequire } from 'node:module';\nconst __dirname = dirname(fileURLToPath(import.meta.url));\nconst require = createRequire(import.meta.url);\nexport const all = [__dirname, typeof require('zod').z];\n",
    }, ['steps/d.step.ts'], 'steps/d.step.mjs');
    expect(found['all']).to.deep.equal([join(folder, 'steps'), 'object']);
    const map = JSON.parse(readFileSync(join(folder, 'dist/steps/d.step.mjs.map'), 'utf8')) as { sources: string[]; sourcesContent?: unknown };
    expect([map.sources, map.sourcesContent]).to.deep.equal([['../../steps/d.step.ts'], undefined]);
    expect(existsSync(join(folder, 'dist/chunks'))).to.equal(false);
  });
});
