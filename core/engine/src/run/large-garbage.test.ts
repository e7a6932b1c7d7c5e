import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

const MEGABYTE = 2 ** 20;
const CHILD = join(import.meta.dirname, 'garbage-child.fixture.ts');

async function mostHeap(...args: readonly string[]): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', CHILD, ...args]);
  return (JSON.parse(stdout) as { most: number }).most / MEGABYTE;
}

describe('boundGarbage', function () {
  this.timeout(60_000);

  it('keeps the heap of a process that hands on texts of 1 MB near what is alive', async () => {
    const [bound, usual] = [await mostHeap('bound'), await mostHeap()];
    expect(bound).to.be.below(100);
    expect(bound).to.be.below(usual);
  });
});
