import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { redactText, SecretToken } from './index.js';

describe('a secret token', () => {
  let folder = '';
  before(() => (folder = mkdtempSync(join(tmpdir(), 'treadle-token-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('lies in a file for this user alone until it is withdrawn', async () => {
    const token = new SecretToken('a.token', undefined);
    await token.publish(folder);
    expect(readFileSync(join(folder, 'a.token'), 'utf8')).to.equal(`${token.value}\n`);
    expect(statSync(join(folder, 'a.token')).mode & 0o777).to.equal(0o600);
    await token.withdraw();
    await token.withdraw();
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('is what was configured, or 192 random bits', () => {
    expect(new SecretToken('a.token', 'given').value).to.equal('given');
    new SecretToken('a.token', 'given-by-other-means-4711');
    expect(redactText('it says given-by-other-means-4711')).to.equal('it says [redacted]');
    const [one, two] = [new SecretToken('a.token', undefined), new SecretToken('a.token', undefined)];
    expect(one.value).to.match(/^[\w-]{32}$/).and.not.equal(two.value);
  });

  it('matches nothing but itself', () => {
    const token = new SecretToken('a.token', 'given');
    expect(['given', 'Given', 'given ', '', undefined, null, 1, ['given']].map((guess) => token.matches(guess)))
      .to.deep.equal([true, false, false, false, false, false, false, false]);
  });

  it('says which file cannot be written', async () => {
    const error = await new SecretToken('a.token', undefined).publish(join(folder, 'none')).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'FILE_NOT_WRITABLE' });
    expect((error as Error).message).to.contain(join(folder, 'none', 'a.token')).and.contain('ENOENT');
  });
});
