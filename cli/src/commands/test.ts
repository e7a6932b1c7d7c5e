import { Args, Flags } from '@oclif/core';
import { treadleError } from '@treadle/api';
import { TreadleCommand } from '../base-command.js';
import { paintError } from '../terminal/paint.js';
import type { TestFiles } from '../test/find-tests.js';
import type { TestWishes } from '../test/run-node-tests.js';
import type { TestReport, TestRun } from '../test/test-report.js';

/** `treadle test`: runs the tests of the application, in every language that it has. */
export default class Test extends TreadleCommand<TestReport> {
  static override summary = 'Run the tests of the application.';
  static override description = 'TypeScript and JavaScript (*.test.ts, *.test.js, *.spec.*) run with "node --test", without a build; Python (test_*.py, '
    + '*_test.py) with unittest. Both have the variables of .env, .env.test and .env.test.local that are not set. Arguments after "--" go to the runner. The exit code is the worst of them.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> steps/orders --watch',
    '<%= config.bin %> <%= command.id %> -- --test-name-pattern=order',
  ];
  static override strict = false;
  static override args = { pattern: Args.string({ description: 'File, folder or part of a path, one or more. Default: all tests.' }) };
  static override flags = { watch: Flags.boolean({ char: 'w', summary: 'Run again what a saved file concerns, until Ctrl-C; no Python.' }) };

  override async run(): Promise<TestReport> {
    const [own, forRunner] = this.split();
    const { argv, flags } = await this.parse(Test, own);
    if (flags.watch && this.jsonEnabled()) throw treadleError('USAGE', { message: '--watch never ends, so that --json has nothing to print', hint: 'leave one of them out' });
    const { findTests } = await import('../test/find-tests.js');
    const { ranNothing, testReport } = await import('../test/test-report.js');
    const { withEnvFiles } = await import('@treadle/worker/env-files');
    const root = process.cwd();
    const files = await findTests(root, argv as string[]);
    for (const text of files.unread) process.stderr.write(`${paintError(`warning  ${text}`, process.stderr)}\n`);
    const report = testReport(await this.runAll(files, { root, args: forRunner, env: withEnvFiles(process.env, root, 'test'), json: this.jsonEnabled() }, flags.watch));
    if (!flags.watch) await tellOfNothing(report.runs.filter(ranNothing), forRunner);
    process.exitCode = report.exitCode;
    return report;
  }

  private async runAll(files: TestFiles, wishes: Omit<TestWishes, 'files'>, watch: boolean): Promise<readonly TestRun[]> {
    const { node, python } = files;
    const runs: TestRun[] = [];
    refuseContradictions(files, wishes.args, watch);
    if (node.length > 0) {
      const { runNodeTests } = await import('../test/run-node-tests.js');
      runs.push(await runNodeTests({ ...wishes, files: node }, watch));
    }
    if (python.length > 0 && !watch) {
      const { runPythonTests } = await import('../test/run-python-tests.js');
      runs.push(await runPythonTests({ ...wishes, files: python }));
    }
    return runs;
  }

  /** The command's own words, and those behind `--`. */
  private split(): readonly [own: string[], forRunner: string[]] {
    const border = this.argv.indexOf('--');
    return border < 0 ? [this.argv, []] : [this.argv.slice(0, border), this.argv.slice(border + 1)];
  }
}

async function tellOfNothing(runs: readonly TestRun[], args: readonly string[]): Promise<void> {
  const { printErrors } = await import('../failure.js');
  const hint = args.length > 0 ? `see whether "${args.join(' ')}" fits the name of a test in them` : 'see whether they declare tests';
  printErrors(runs.map(({ files }) => treadleError('USAGE', { message: `no test ran in ${files.join(', ')}`, hint })));
}

function refuseContradictions({ node, python }: TestFiles, args: readonly string[], watch: boolean): void {
  if (watch && node.length === 0) {
    throw treadleError('USAGE', { message: '--watch is for tests in TypeScript and JavaScript, and there are none', hint: 'leave --watch out' });
  }
  // Options of one runner mean nothing to the other.
  if (args.length > 0 && node.length > 0 && python.length > 0) {
    throw treadleError('USAGE', {
      message: 'what follows "--" is for one runner, and there are tests for Node and for Python', hint: 'name the tests that are meant before "--"',
    });
  }
}
