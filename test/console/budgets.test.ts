import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { ROOT } from '../architecture/workspace.js';

const FOLDER = join(ROOT, 'console/app-dist');
const KB = 1000;
const [SHELL_KB, VIEW_KB, EDITOR_KB, GRAPH_KB] = [150, 60, 140, 90];

const gzipped = (file: string): number => statSync(join(FOLDER, `${file}.gz`)).size;

describe('the built page of the console', () => {
  const assets = readdirSync(join(FOLDER, 'assets')).filter((name) => /\.(js|css)\.gz$/.test(name)).map((name) => name.slice(0, -'.gz'.length));
  const index = readFileSync(join(FOLDER, 'index.html'), 'utf8');

  it('has a shell of at most 150 KB', () => {
    const shell = [...index.matchAll(/(?:src|href)="\.\/([^"]+\.(?:js|css))"/g)].map(([, file]) => file as string).filter((file) => file.startsWith('assets/'));
    expect(shell.length).to.be.greaterThan(2);
    expect(shell.reduce((sum, file) => sum + gzipped(file), 0)).to.be.below(SHELL_KB * KB);
  });

  it('loads views, the editor and the graph on their own, each within its budget', () => {
    const limit = (name: string): number => (/^(setup|code-editor|merge-editor)-/.test(name) ? EDITOR_KB : /^graph-/.test(name) ? GRAPH_KB : VIEW_KB);
    const loaded = assets.filter((name) => !index.includes(name));
    expect(loaded.some((name) => name.startsWith('traces-view-')) && loaded.some((name) => name.startsWith('graph-'))).to.equal(true);
    for (const name of loaded) expect(gzipped(`assets/${name}`), name).to.be.below(limit(name) * KB);
  });

  it('asks no other host for anything, and has no script in its HTML', () => {
    expect(index).not.to.match(/<script(?![^>]*\bsrc=)/);
    expect(index).not.to.match(/(?:src|href)="(?:https?:)?\/\//);
    const styles = assets.filter((name) => name.endsWith('.css')).map((name) => gunzipSync(readFileSync(join(FOLDER, 'assets', `${name}.gz`))).toString('utf8'));
    expect(styles.join('')).not.to.match(/url\(["']?(?:https?:)?\/\//);
  });

  it('has its assets in two compressed forms, and takes no room for a third', () => {
    expect(readdirSync(join(FOLDER, 'assets'))).to.have.members(assets.flatMap((name) => [`${name}.br`, `${name}.gz`]));
    for (const name of assets) expect(statSync(join(FOLDER, 'assets', `${name}.br`)).size, name).to.be.within(1, gzipped(`assets/${name}`));
  });
});
