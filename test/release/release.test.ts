import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../architecture/workspace.js';
import { LocalRegistry } from '../registry/local-registry.js';
import { requireOrSkip } from '../support/requirement.js';
import { tempFolder } from '../support/temp-folder.js';

const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'lerna.json'), 'utf8')) as { version: string };
const TAG = `v${VERSION}`;
/** Enough for a release, and an order: each needs the one before. */
const FOLDERS = ['core/protocol', 'core/steps', 'core/worker'];
const NAMES = ['@treadle/protocol', 'treadle', '@treadle/worker'];

describe('npm run release', function () {
  this.timeout(600_000);
  let registry: LocalRegistry;
  let folder = '';
  let clone = '';

  before(async function () {
    requireOrSkip(this, existsSync(join(ROOT, '.git')), 'this is no git checkout');
    folder = tempFolder();
    clone = join(folder, 'clone');
    git(folder, 'init', '--quiet', '--bare', 'origin.git');
    git(folder, 'init', '--quiet', clone);
    execFileSync('sh', ['-c', 'git -C "$1" archive HEAD | tar -x -C "$2"', 'sh', ROOT, clone]);
    writeFileSync(join(clone, 'lerna.json'), JSON.stringify({ version: VERSION, packages: FOLDERS }));
    git(clone, 'add', '--all');
    git(clone, '-c', 'user.name=Releaser', '-c', 'user.email=releaser@localhost', 'commit', '--quiet', '--message', 'As checked out');
    git(clone, 'remote', 'add', 'origin', join(folder, 'origin.git'));
    symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
    appendFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
    registry = await LocalRegistry.start();
  });
  after(() => registry?.stop());

  it('refuses a tag that is not there, and one that is not the version of the packages', async () => {
    expect(release('v9.9.9')).to.deep.include({ status: 64 });
    expect(release('v9.9.9').said).to.include('refused: there is no tag v9.9.9; make it with: git tag v9.9.9 && git push origin v9.9.9');
    git(clone, 'tag', 'v9.9.9');
    expect(release('v9.9.9').said).to.match(/refused: v9\.9\.9 is not the version of .*; set it with: npx lerna version 9\.9\.9/);
    expect(release('0.1').said).to.include('"0.1" is no version tag such as v0.2.0');
    expect(await registry.packument('treadle')).to.equal(undefined);
  });

  it('takes packages and tag away again when trying them fails', async () => {
    tagAndPush();
    const seen = join(folder, 'seen-next');
    const { status, said } = release(TAG, `curl -s "$RELEASE_REGISTRY"treadle > ${seen}; exit 3`);
    expect(status, said).to.equal(65);
    expect(JSON.parse(readFileSync(seen, 'utf8')) as unknown, 'it was there to be tried').to.have.nested.property('dist-tags.next', VERSION);
    expect(said).to.match(/failed: .* ended with 3\n[^]*rolled back: neither the packages nor v[^ ]+ are there any more/);
    for (const name of NAMES) expect((await registry.packument(name))?.versions[VERSION], name).to.equal(undefined);
    expect(remoteTags()).to.not.include(TAG);
    expect(git(clone, 'tag')).to.not.include(TAG);
  });

  it('makes them the latest when trying them succeeds', async () => {
    tagAndPush();
    const home = join(folder, 'user');
    const e2e = `mkdir -p ${home} && cd ${home} && echo '{"name":"user","version":"1.0.0"}' > package.json && npm install --silent @treadle/worker@next && echo "the worker is $(npx treadle-worker --version)"`;
    const { status, said } = release(TAG, e2e);
    expect(status, said).to.equal(0);
    expect(said).to.include(`the worker is ${VERSION}\n`);
    for (const name of NAMES) {
      expect((await registry.packument(name))?.['dist-tags'], name).to.deep.include({ latest: VERSION, next: VERSION });
    }
    const listed = partsOf(JSON.parse(readFileSync(join(clone, `sbom/treadle-${VERSION}.cdx.json`), 'utf8')));
    const installed = partsOf(JSON.parse(execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], { cwd: home, encoding: 'utf8' })));
    expect(installed).to.include.members(NAMES);
    expect(listed, 'the list of parts has what a user gets').to.include.members(installed);
    expect(remoteTags()).to.include(TAG);
    expect(git(clone, 'status', '--porcelain'), 'the checkout is as it was').to.equal('');
  });

  it('refuses a version that is published, and leaves it alone', async () => {
    const { status, said } = release(TAG);
    expect(status).to.equal(64);
    expect(said).to.match(/refused: already published: .*; a version is published once/);
    expect((await registry.packument('treadle'))?.['dist-tags']).to.include({ latest: VERSION });
    expect(remoteTags()).to.include(TAG);
  });

  function release(tag: string, e2e = 'exit 0'): { readonly status: number | null; readonly said: string } {
    const program = ['--import', 'tsx', join(ROOT, 'test/release/run.ts'), tag, '--build', copyBuilt(), '--e2e', e2e];
    const env = { ...registry.environment(folder, { publisher: true }), NX_DAEMON: 'false' };
    const { status, stdout, stderr } = spawnSync(process.execPath, program, { cwd: clone, env, encoding: 'utf8', timeout: 300_000, maxBuffer: 16 * 1024 * 1024 });
    return { status, said: stdout + stderr };
  }

  /** The build of this checkout is that of the clone: it has the same commit. */
  function copyBuilt(): string {
    return FOLDERS.map((place) => `cp -R ${join(ROOT, place, 'dist')} ${place}/`).join(' && ');
  }

  function tagAndPush(): void {
    git(clone, 'tag', TAG);
    git(clone, 'push', '--quiet', 'origin', TAG);
  }

  function remoteTags(): string {
    return git(clone, 'ls-remote', '--tags', 'origin');
  }
});

/** Names of a bill of materials, without their versions: those that a user gets may be newer. */
function partsOf(bill: unknown): readonly string[] {
  return (bill as { components: readonly { purl: string }[] }).components.map(({ purl }) => decodeURIComponent(purl.replace(/^pkg:npm\/|@[^@]*$/g, '')));
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8' });
}
