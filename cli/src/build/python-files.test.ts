import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StepFileReport } from '@treadle/worker';
import { expect } from 'chai';
import { addFiles, asOrdinaryUser, makeApp, removeApp } from '../cli.fixture.js';
import { pythonFiles } from './python-files.js';

describe('the Python files of a build', () => {
  const LATIN = Buffer.from('# -*- coding: latin-1 -*-\nNAME = "M\u00FCller"\n', 'latin1');
  const reports = [{ file: 'steps/a_step.py', version: '1', steps: [] }] as unknown as readonly StepFileReport[];
  let folder = '';
  beforeEach(() => {
    folder = makeApp({ 'package.json': '{}' }, { modules: false });
    addFiles(folder, { 'steps/a_step.py': '', 'src/names.py': '' });
    writeFileSync(join(folder, 'src/names.py'), LATIN);
  });
  afterEach(() => {
    chmodSync(join(folder, 'src'), 0o755);
    removeApp(folder);
  });

  it('are the bytes of the sources, in whatever encoding they are', async () => {
    const { outputs } = await pythonFiles(folder, reports);
    expect(outputs.get('src/names.py')).to.deep.equal(LATIN);
  });

  it('are refused where a folder of them cannot be read, instead of left out', async () => {
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'src'), 0);
    const error = await asOrdinaryUser(() => pythonFiles(folder, reports).catch((reason: unknown) => reason));
    expect(error).to.have.property('code', 'BUILD_FAILED');
    expect(error).to.have.property('message').that.matches(/src\/ cannot be read: EACCES/);
  });
});
