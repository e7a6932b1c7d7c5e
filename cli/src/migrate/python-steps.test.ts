import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPython } from '@treadle/runtime-python';
import { expect } from 'chai';
import { CLI_ROOT } from '../version.js';

describe('the program that reads Steps in Python', () => {
  it('takes texts in UTF-8 whatever the machine is set to', async function () {
    const python = await findPython({ root: tmpdir() });
    if ('problem' in python) {
      if (process.env['CI']) throw new Error(python.problem);
      return this.skip();
    }
    const text = 'GREETING = "Gr\u00FC\u00DFe \u{1F600}"\n';
    // Without its UTF-8 mode Python has ASCII here, as it has the code page of the machine on Windows.
    const { stdout, stderr } = spawnSync(python.command, ['-I', '-B', '-X', 'utf8=0', join(CLI_ROOT, 'python', 'migrate_steps')], {
      input: JSON.stringify([{ name: 'a_step.py', text }]), encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' },
    });
    expect(stderr).to.equal('');
    expect(JSON.parse(stdout)).to.deep.equal([{ text, notes: [] }]);
  });
});
