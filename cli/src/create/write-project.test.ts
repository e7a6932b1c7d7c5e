import { mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { LANGUAGES, TEMPLATES } from './choices.js';
import { writeProject } from './write-project.js';

describe('a project that cannot be written', () => {
  it('leaves a folder as it was, with the link in it that leads nowhere', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'treadle-create-'));
    symlinkSync('nowhere', join(folder, 'README.md'));
    try {
      const error = await writeProject({ name: 'shop', folder, language: LANGUAGES[0]!, template: TEMPLATES[0]!, packageManager: 'npm' }).catch((reason: unknown) => reason);
      expect(error).to.have.property('code', 'FILE_NOT_WRITABLE');
      expect([readdirSync(folder), readlinkSync(join(folder, 'README.md'))]).to.deep.equal([['README.md'], 'nowhere']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
