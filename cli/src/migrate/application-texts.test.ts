import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { addFiles, asOrdinaryUser, makeApp, removeApp } from '../cli.fixture.js';
import { readApplication } from './application-texts.js';

describe('what a migration reads', () => {
  let folder = '';
  beforeEach(() => { folder = makeApp({ 'package.json': '{}', 'steps/a.step.ts': '\uFEFFexport {};\r\n', 'dist/b.ts': '' }, { modules: false }); });
  afterEach(() => {
    chmodSync(join(folder, 'steps'), 0o755);
    removeApp(folder);
  });

  it('is texts as they are on the disk', () => {
    expect([...readApplication(folder).texts]).to.deep.equal([['package.json', '{}'], ['steps/a.step.ts', '\uFEFFexport {};\r\n']]);
  });

  it('leaves out what is not UTF-8, and says so', () => {
    writeFileSync(join(folder, 'steps/old_step.py'), Buffer.from('# -*- coding: latin-1 -*-\nNAME = "M\u00FCller"\n', 'latin1'));
    const { texts, notes } = readApplication(folder);
    expect(texts.has('steps/old_step.py')).to.equal(false);
    expect(notes).to.deep.equal([{ file: 'steps/old_step.py', line: 1, reason: 'it is not in UTF-8, and stays as it is', remedy: 'save it in UTF-8, then run the command again' }]);
  });

  it('goes on past a folder and a file that cannot be read, and names them', async () => {
    addFiles(folder, { 'src/secret.ts': 'export {};' });
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'steps'), 0);
    chmodSync(join(folder, 'src/secret.ts'), 0);
    const { texts, notes } = await asOrdinaryUser(() => readApplication(folder));
    expect([...texts.keys()]).to.deep.equal(['package.json']);
    expect(notes.map(({ file }) => file)).to.deep.equal(['steps', 'src/secret.ts']);
    expect(notes[0]?.reason).to.match(/^it was not read: EACCES/);
  });
});
