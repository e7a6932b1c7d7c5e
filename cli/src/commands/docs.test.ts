import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { makeApp, removeApp, runCli } from '../cli.fixture.js';

const DOCS = fileURLToPath(new URL('../../../docs', import.meta.url));

describe('treadle docs', () => {
  let folder: string;
  beforeEach(() => { folder = makeApp({}, { modules: false }); });
  afterEach(() => removeApp(folder));
  const docs = (...args: string[]) => runCli(['docs', ...args], { cwd: folder });

  it('lists every page, in the order of the index', async () => {
    const { code, stdout } = await docs('--json');
    expect(code).to.equal(0);
    const topics = (JSON.parse(stdout) as { topics: { topic: string }[] }).topics.map(({ topic }) => topic);
    const names = readdirSync(DOCS).filter((file) => file.endsWith('.md') && file !== 'README.md').map((file) => file.replace('.md', ''));
    expect(topics).to.have.members(names);
    const index = readFileSync(`${DOCS}/README.md`, 'utf8');
    expect(topics).to.deep.equal([...index.matchAll(/\]\(([\w-]+)\.md\)/g)].map((match) => match[1]));
    expect((await docs()).stdout).to.match(/^queue +Queue$/m);
  });

  it('prints a page as it stands in the repository', async () => {
    expect(await docs('queue')).to.deep.equal({ code: 0, stderr: '', stdout: readFileSync(`${DOCS}/queue.md`, 'utf8') });
  });

  it('explains an error code', async () => {
    const { stdout } = await docs('address_in_use');
    expect(stdout).to.match(/^### ADDRESS_IN_USE\n\nWhen another process listens on the address/).and.not.include('### ADDRESS_REFUSED');
  });

  it('says which page may be meant', async () => {
    expect((await docs('deploiment')).stderr).to.include('there is no page "deploiment"').and.include('did you mean "deployment"?');
    expect((await docs('zebra')).stderr).to.include('"treadle docs" lists them');
  });
});
