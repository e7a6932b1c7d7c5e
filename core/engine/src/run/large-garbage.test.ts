import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { expect } from 'chai';
import { LargeGarbage } from './large-garbage.js';

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
  this.timeout(180_000);

  it('keeps heap and buffers of a process that hands on texts of 1 MB near what is alive', async () => {
    const [bound, usual] = [await most('bound'), await most()];
    expect(bound.heap).to.be.below(100);
    expect(bound.heap).to.be.below(usual.heap);
    expect(bound.buffers).to.be.below(usual.buffers);
  });
});

describe('LargeGarbage', () => {
  const bytes = { large: 1, buffers: 4, old: 30 };
  let collected: string[];
  let garbage: LargeGarbage;
  const look = (now: number, change: Partial<typeof bytes>): string[] => {
    Object.assign(bytes, change);
    collected = [];
    garbage.look(now);
    return collected;
  };
  beforeEach(() => {
    Object.assign(bytes, { large: 1, buffers: 4, old: 30 });
    garbage = new LargeGarbage(
      (what) => {
        collected.push(what);
        if (what === 'all') Object.assign(bytes, { large: 1, buffers: 4, old: 30 });
      },
      () => ({ large: bytes.large * MEGABYTE, buffers: bytes.buffers * MEGABYTE, old: bytes.old * MEGABYTE }),
    );
  });
  after(() => setFlagsFromString('--heap-growing-percent=0'));

  it('leaves a heap of small values to V8', () => {
    expect(look(100, { old: 120 })).to.deep.equal([]);
  });

  it('collects when large values come, also when much of the heap is garbage by then', () => {
    look(100, { old: 90 });
    expect(look(200, { large: 10 })).to.deep.equal(['all']);
  });

  it('leaves a heap of which much is alive to V8', () => {
    look(100, { old: 300 });
    look(200, { old: 200 });
    expect(look(300, { large: 10 })).to.deep.equal([]);
  });

  it('collects buffers that a young collection has left alone', () => {
    look(100, { large: 10 });
    expect(look(200, { buffers: 12, old: 31 })).to.deep.equal(['young']);
    expect(look(300, { buffers: 20 })).to.deep.equal(['young']);
    expect(look(400, { buffers: 33 })).to.deep.equal(['all']);
  });

  it('leaves it to V8 again when no large values have come for a while', () => {
    look(100, { large: 10 });
    expect(look(20_000, { old: 90 })).to.deep.equal(['all']);
    expect(look(50_000, { old: 90 })).to.deep.equal([]);
  });
});
