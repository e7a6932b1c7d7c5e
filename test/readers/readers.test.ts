import { requirePython } from '../support/require-python.js';
import { expect } from 'chai';
import { stopAllEngines } from '../support/engine-process.js';
import type { RuntimeName } from './src/application.js';
import { lineFaults, memoryFaults, MOST_MB } from './src/bounds.js';
import { runLog } from './src/log-run.js';
import { runReaders } from './src/readers-run.js';

const MIB = 1024 * 1024;

/** The short form; `npm run readers` is the long one. */
describe('readers that do not read', function () {
  this.timeout(120_000);
  afterEach(stopAllEngines);

  for (const runtime of ['Node', 'Python'] as const satisfies readonly RuntimeName[]) {
    it(`of streamed answers are cut, everybody else is served, and little is kept in memory: ${runtime}`, async function () {
      if (runtime === 'Python') await requirePython(this);
      const { read, unread, memory, faults } = await runReaders({ runtime, answer: 'streamed', bytes: 16 * MIB, reading: 6, stalled: 40, idleMs: 5_000, heapMb: 256 });
      expect([read, unread, faults]).to.deep.equal([{ complete: 6, cut: 0, refused: 0 }, { complete: 0, cut: 40, refused: 0 }, []]);
      // What 40 of 16 MiB would take: 640 MB.
      expect(memoryFaults(memory, MOST_MB.streamed)).to.deep.equal([]);
    });
  }

  for (const runtime of ['Node', 'Python'] as const satisfies readonly RuntimeName[]) {
    it(`of events that nobody awaits are cut, and few of the events are kept: ${runtime}`, async function () {
      if (runtime === 'Python') await requirePython(this);
      const { unread, memory, faults } = await runReaders({ runtime, answer: 'flood', bytes: 32 * MIB, reading: 0, stalled: 30, idleMs: 5_000, heapMb: 256 });
      expect([unread, faults]).to.deep.equal([{ complete: 0, cut: 30, refused: 0 }, []]);
      // What 30 of 32 MiB would take: 960 MB.
      expect(memoryFaults(memory, MOST_MB.flood)).to.deep.equal([]);
    });
  }

  it('of large whole answers are refused beyond the total, and cut', async () => {
    const { read, unread, memory, faults } = await runReaders({
      runtime: 'Node', answer: 'whole', bytes: 9_000_000, reading: 0, stalled: 40, idleMs: 3_000, http: { max_buffered_answer_bytes: 100_000_000 },
    });
    expect([read.complete, unread.complete, faults]).to.deep.equal([0, 0, []]);
    expect(unread.refused).to.be.within(1, 40 - 11);
    expect(memoryFaults(memory, MOST_MB.whole)).to.deep.equal([]);
  });

  it('of the log lose lines, which are counted', async () => {
    const logged = await runLog({ runtime: 'Node', lines: 200_000 });
    expect([...logged.faults, ...lineFaults(logged, 200_000), ...memoryFaults(logged.memory, MOST_MB.log)]).to.deep.equal([]);
  });
});
