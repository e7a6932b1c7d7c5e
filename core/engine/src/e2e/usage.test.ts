import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Bench, expectGolden } from './engine-process.fixture.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
/** Makes the process fail as soon as it loads the kernel. */
const NO_KERNEL = `--import=${new URL('../../fixtures/refuse-kernel.mjs', import.meta.url).pathname}`;

describe('treadle-engine, usage', () => {
  let bench: Bench;
  before(() => { bench = new Bench(); });
  after(() => bench.remove());

  it('prints its version without loading the kernel', async () => {
    expect(await bench.run(['--version'], { NODE_OPTIONS: NO_KERNEL }))
      .to.deep.equal({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('prints its help without loading the kernel', async () => {
    const { code, stdout, stderr } = await bench.run(['--help'], { NODE_OPTIONS: NO_KERNEL });
    expect([code, stderr]).to.deep.equal([0, '']);
    expectGolden('help.txt', stdout);
  });

  it('loads the kernel for anything else, so that the two tests above can fail', async () => {
    const { code, stderr } = await bench.run(['--check'], { NODE_OPTIONS: NO_KERNEL });
    expect(code).to.equal(70);
    expect(stderr).to.match(/^error {2}INTERNAL {2}treadle-engine failed: Error: the kernel is refused\n$/);
  });

  it('answers an unknown flag with its near miss and the usage line, 64', async () => {
    const { code, stdout, stderr } = await bench.run(['--confg', 'config.yaml']);
    expect([code, stdout]).to.deep.equal([64, '']);
    expectGolden('unknown-flag.txt', stderr);
  });

  it('answers a bad LOG_LEVEL with 64', async () => {
    const { code, stderr } = await bench.run([], { LOG_LEVEL: 'loud' });
    expect(code).to.equal(64);
    expect(stderr).to.equal('error  USAGE  LOG_LEVEL is "loud"; it must be one of debug, info, warn, error\n');
  });
});
