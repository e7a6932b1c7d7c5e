// npm run readers -- [--readers 600] [--bytes 4194304] [--lines 2000000] [--idle 15000] [--heap 512] [--runtimes Node,Python,InProcess].
// Readers that read and readers that do not, and a log that nobody reads. One line per run; ends with 1 when something was wrong.
import { campaignOptions, fail, sayRow } from '../support/campaign.js';
import { RUNTIMES, type RuntimeName } from './src/application.js';
import { lineFaults, memoryFaults, MOST_MB } from './src/bounds.js';
import { runLog } from './src/log-run.js';
import { runReaders } from './src/readers-run.js';

const { readers, bytes, lines, idle: idleMs, heap: heapMb, ...values } = campaignOptions({
  readers: 600, bytes: 4_194_304, lines: 2_000_000, idle: 15_000, heap: 512, runtimes: RUNTIMES.join(),
});
const runtimes = values.runtimes.split(',') as RuntimeName[];

/** What is asked for, how large, by how many who read and how many who do not. */
const rows: readonly ['streamed' | 'whole' | 'flood', number, number, number][] = [
  ['streamed', bytes, readers, readers], ['whole', 9_000_000, readers / 4, readers / 4], ['flood', bytes * 4, 0, readers],
];

sayRow(['runtime', 'what', 'read: complete/cut/503', 'unread: complete/cut/503', 'engine MB', 'Step process MB', 's', 'faults']);
for (const runtime of runtimes) {
  for (const [answer, size, reading, stalled] of rows) {
    const { read, repeated, unread, memory, seconds, faults } = await runReaders({ runtime, answer, bytes: size, reading, stalled, idleMs, heapMb });
    const counts = ({ complete, cut, refused }: typeof read): string => `${complete}/${cut}/${refused}`;
    const wrong = [...faults, ...memoryFaults(memory, MOST_MB[answer]), ...(read.complete < reading ? ['readers were not served'] : []), ...(unread.complete > 0 ? ['stalled readers got everything'] : [])];
    sayRow([runtime, `${answer} ${size}`, `${counts(read)}, ${repeated} asked again`, counts(unread), memory.engine.join(' → '), memory.steps.join(' → '), String(seconds), wrong.join('; ')]);
    if (wrong.length > 0) fail();
  }
  const logged = await runLog({ runtime, lines });
  const { memory, read, dropped } = logged;
  const wrong = [...logged.faults, ...memoryFaults(memory, MOST_MB.log), ...lineFaults(logged, lines)];
  sayRow([runtime, `${lines} log lines`, `read ${read}`, `dropped ${dropped}`, memory.engine.join(' → '), memory.steps.join(' → '), '', wrong.join('; ')]);
  if (wrong.length > 0) fail();
}
