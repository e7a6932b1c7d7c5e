import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

const MEGABYTE = 2 ** 20;
const CHILD = join(import.meta.dirname, 'garbage-child.fixture.ts');

/** In MB. */
interface Most {
  readonly heap: number;
  readonly buffers: number;
}

async function most(...args: readonly string[]): Promise<Most> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', CHILD, ...args]);
  const { heap, buffers } = JSON.parse(stdout) as Most;
  return { heap: heap / MEGABYTE, buffers: buffers / MEGABYTE };
}

describe('boundGarbage', function () {
  this.timeout(60_000);

  it('keeps heap and buffers of a process that hands on texts of 1 MB near what is alive', async () => {
    const [bound, usual] = [await most('bound'), await most()];
    expect(bound.heap).to.be.below(100);
    expect(bound.heap).to.be.below(usual.heap);
    expect(bound.buffers).to.be.below(usual.buffers);
  });
});
