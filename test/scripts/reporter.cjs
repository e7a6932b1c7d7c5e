'use strict';
// Mocha's spec reporter. With TREADLE_TEST_COUNTS it also writes the counts to that file, for .ci/run. A test that failed
// may leave a server or a watcher behind, which would keep mocha from ending: that is said, and mocha ended.
const { writeFileSync } = require('node:fs');
const Mocha = require('mocha');

const PATIENCE_MS = 10_000;

class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const file = process.env['TREADLE_TEST_COUNTS'];
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = runner.stats;
      if (file) writeFileSync(file, JSON.stringify({ passed: passes, failed: failures, skipped: pending }));
      setTimeout(() => endWith(failures), PATIENCE_MS).unref();
    });
  }
}

function endWith(failures) {
  console.error(`left open by a test: ${process.getActiveResourcesInfo().join(', ')}`);
  // eslint-disable-next-line no-restricted-syntax -- nothing else ends a process with open handles
  process.exit(failures > 0 ? 1 : 0);
}

module.exports = CountingReporter;
