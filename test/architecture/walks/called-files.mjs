// Loaded into the engine and its Step process before all else. SIGUSR2 begins a count of the functions that are called; the next one ends it
// and writes them: one line a file of this repository, then the names of what was called in it.
import { Session } from 'node:inspector';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const TARGET = process.env.TREADLE_WALKS;

if (TARGET && isMainThread) {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  let takes = 0;
  process.on('SIGUSR2', () => session.post('Profiler.takePreciseCoverage', (error, coverage) => {
    if (error) throw error;
    takes += 1;
    writeFileSync(join(TARGET, `${process.pid}-${takes}.json`), JSON.stringify(coverage.result.flatMap(calledIn)));
  }));
}

/** The functions of a file that were called since the last take; what begins at 0 is the file itself. */
function calledIn({ url, functions }) {
  const called = functions.filter(({ ranges: [{ count, startOffset }] }) => count > 0 && startOffset > 0);
  return called.length === 0 || !url.startsWith('file:') ? [] : [{ url, functions: called.map(({ functionName, ranges }) => `${functionName}@${ranges[0].startOffset}`) }];
}
