import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../architecture/workspace.js';

const FOLDER = join(ROOT, 'docs/console');
const VIEWS = ['home', 'flows', 'endpoints', 'request', 'traces', 'trace', 'logs', 'state', 'streams', 'queues', 'cron', 'metrics', 'modules'];
const FORMS = ['dark-1440', 'dark-390', 'light-1440', 'light-390'];
/** Bytes of a picture with something in it. */
const LEAST = 8_000;

describe('pictures of the console', () => {
  const files = readdirSync(FOLDER);
  const taken = [...readFileSync(join(ROOT, 'test/console/pictures.ts'), 'utf8').matchAll(/^  \{ name: '(\w+)', path/gm)].map(([, name = '']) => name);

  it('are there of every view, in both themes and both widths, each taken by console:pictures', () => {
    expect(taken).to.include.members(VIEWS);
    expect(files).to.have.members(taken.flatMap((name) => FORMS.map((form) => `${name}-${form}.png`)));
    for (const file of files) {
      const png = readFileSync(join(FOLDER, file));
      // The width in the header of the file.
      expect(png.readUInt32BE(16), file).to.equal(Number(/(\d+)\.png$/.exec(file)?.[1]));
      expect(statSync(join(FOLDER, file)).size, file).to.be.greaterThan(LEAST);
    }
  });

  it('are shown in the README and in the guide, none that is not there', () => {
    for (const [page, folder] of [['README.md', ROOT], ['docs/console.md', join(ROOT, 'docs')]] as const) {
      const shown = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/(?:!\[[^\]]*\]\(|src(?:set)?=")([^)"]+\.png)/g)].map(([, path = '']) => path);
      expect(shown, page).not.to.deep.equal([]);
      for (const path of shown) expect(existsSync(join(folder, path)), `${page}: ${path}`).to.equal(true);
    }
  });
});
