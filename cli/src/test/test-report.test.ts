import { expect } from 'chai';
import { countTap, ranNothing, testReport, type TestRun } from './test-report.js';

const run = (exitCode: number, tap: string): TestRun => ({ runner: 'node', files: ['a.test.ts'], exitCode, tests: countTap(tap) });
const NONE = '# tests 0\n# pass 0\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n';

describe('the report of tests', () => {
  it('fails where a runner had files and ran no test', () => {
    const { exitCode, runs } = testReport([run(0, NONE)]);
    expect([exitCode, runs.map((one) => one.exitCode), runs.map(ranNothing)]).to.deep.equal([1, [1], [true]]);
  });

  it('takes skipped tests for tests, and a runner that counted nothing by its exit code', () => {
    const { exitCode, runs } = testReport([run(0, NONE.replace('skipped 0', 'skipped 1')), run(0, '')]);
    expect([exitCode, runs.map(ranNothing)]).to.deep.equal([0, [false, false]]);
  });

  it('keeps the exit code of a runner that failed by itself', () => {
    expect(testReport([run(5, NONE), run(0, NONE)]).exitCode).to.equal(5);
  });
});
