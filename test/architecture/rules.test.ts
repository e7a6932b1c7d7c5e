import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import { tempFolder } from '../support/temp-folder.js';
import { findCycle } from './cycles.js';
import { floorOf } from './floors.js';
import { importsOf, targetOf } from './source-imports.js';
import { filesBelow, ROOT, workspacePackages } from './workspace.js';

describe('the rules of the architecture', () => {
  it('find a circle as a path that ends where it began', () => {
    const edges = new Map([['a', ['b', 'c']], ['b', []], ['c', ['d']], ['d', ['c']]]);
    expect(findCycle(edges)).to.deep.equal(['c', 'd', 'c']);
    expect(findCycle(new Map([['a', ['b', 'c']], ['b', ['c']], ['c', []]]))).to.equal(undefined);
  });

  it('see every form of import with its line, and which of them vanish', () => {
    const file = join(tempFolder(), 'sample.ts');
    writeFileSync(file, [
      "import a from 'a';", "import type { B } from 'b';", "import { type C } from './c.js';", "export * from 'd';", "import 'e';",
      "export type F = import('f').F;", "export const g = () => import('g');", "import { type H, h } from 'h';", 'export { a, B, C, H, h };',
    ].join('\n'));
    const found = importsOf(relative(ROOT, file));
    expect(found.map(({ specifier, line, typeOnly, dynamic }) => `${line} ${specifier}${typeOnly ? ' type' : ''}${dynamic ? ' dynamic' : ''}`))
      .to.deep.equal(['1 a', '2 b type', '3 ./c.js type', '4 d', '5 e', '6 f type', '7 g dynamic', '8 h']);
    expect(targetOf({ ...found[2]!, file: 'core/x/src/sample.ts' })).to.equal('core/x/src/c.ts');
  });

  it('keep modules and plugins away from kernel, config and each other', () => {
    for (const folder of ['modules/http', 'plugins/runtime-node', 'console']) {
      const { workspace } = floorOf(folder);
      for (const name of ['@treadle/api', '@treadle/protocol', 'treadle', '@treadle/worker']) expect(workspace.test(name), name).to.equal(true);
      for (const name of ['@treadle/kernel', '@treadle/config', '@treadle/module-steps', '@treadle/engine']) expect(workspace.test(name), name).to.equal(false);
    }
  });

  it('let nothing build on the command line or on itself, and know every folder', () => {
    expect(floorOf('core/engine').workspace.test('@treadle/cli')).to.equal(false);
    expect(floorOf('cli').workspace.test('@treadle/cli')).to.equal(false);
    expect(floorOf('core/protocol').workspace.test('@treadle/api')).to.equal(false);
    expect(() => floorOf('core/surprise')).to.throw('no floor is planned');
  });

  it('point to no document that is not here: the reason itself stands in the code', () => {
    const files = workspacePackages().flatMap(({ folder }) => filesBelow(folder)).filter((file) => /\.(?:ts|py|mjs)$/.test(file));
    expect(files.length).to.be.greaterThan(1_000);
    const pointing = files.filter((file) => /@source (?:product|base|reliability|console|design)\b/.test(readFileSync(join(ROOT, file), 'utf8')));
    expect(pointing).to.deep.equal([]);
  });
});
