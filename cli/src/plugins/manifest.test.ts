import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { CLI_ROOT } from '../version.js';
import { buildManifest } from './manifest.js';

describe('oclif.manifest.json', () => {
  it('is what the built commands say; "npm run manifest" in cli/ rewrites it', async () => {
    expect(readFileSync(`${CLI_ROOT}oclif.manifest.json`, 'utf8')).to.equal(await buildManifest(CLI_ROOT));
  });
});
