'use strict';
// Mocha's spec reporter. With TREADLE_TEST_RESULT it also writes to that file what became of the run: counts, what failed, and by test file how long it
// took and how long processors worked for it, its processes included, in milliseconds. A test that failed may leave a server or a watcher behind, which would keep mocha from ending: that is said, and mocha ended.
const { readFileSync, writeFileSync } = require('node:fs');
const { relative } = require('node:path');
const Mocha = require('mocha');

const PATIENCE_MS = 10_000;
const { EVENT_HOOK_END, EVENT_RUN_BEGIN, EVENT_RUN_END, EVENT_TEST_END, EVENT_TEST_FAIL } = Mocha.Runner.constants;

class ResultReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const file = process.env['TREADLE_TEST_RESULT'];
    const [failures, files] = [[], {}];
    let last = [0, 0];
    const took = ({ file: of = '' }) => {
      const name = relative(process.cwd(), of);
      const [now, [ms, worked]] = [spent(), files[name] ?? [0, 0]];
      files[name] = [ms + now[0] - last[0], worked + now[1] - last[1]];
      last = now;
    };
    runner.once(EVENT_RUN_BEGIN, () => { last = spent(); });
    runner.on(EVENT_TEST_END, took).on(EVENT_HOOK_END, took);
    runner.on(EVENT_TEST_FAIL, (test, error) => failures.push(`${relative(process.cwd(), test.file ?? '')}: ${test.fullTitle()}\n${error.stack ?? error}`));
    runner.once(EVENT_RUN_END, () => {
      const { passes: passed, failures: failed, pending: skipped } = runner.stats;
      if (file) writeFileSync(file, JSON.stringify({ passed, failed, skipped, failures, files }));
      setTimeout(() => endWith(failed), PATIENCE_MS).unref();
    });
  }
}

/** Time, and processor time of this process and of those of its that have ended; 0 where the system does not tell. */
function spent() {
  try {
    const fields = readFileSync('/proc/self/stat', 'latin1').split(') ')[1].split(' ');
    return [Date.now(), fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0)];
  } catch {
    return [Date.now(), 0];
  }
}

function endWith(failures) {
  console.error(`left open by a test: ${process.getActiveResourcesInfo().join(', ')}`);
  // eslint-disable-next-line no-restricted-syntax -- nothing else ends a process with open handles
  process.exit(failures > 0 ? 1 : 0);
}

module.exports = ResultReporter;
