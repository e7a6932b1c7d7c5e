import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program.js';
import { runnerPath } from './runner-path.js';
import { countTap, type TestRun } from './test-report.js';

/** How tests are run. */
export interface TestWishes {
  readonly root: string;
  readonly files: readonly string[];
  /** For the runner itself. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly json: boolean;
}

/** Runs tests in TypeScript and JavaScript with Node's own runner, each file in a process of its own. */
export async function runNodeTests({ root, files, args, env, json }: TestWishes, watch: boolean): Promise<TestRun> {
  const { NODE_TEST_CONTEXT: _outer, ...inner } = env;
  const scratch = await mkdtemp(join(tmpdir(), 'treadle-tests-'));
  const tap = join(scratch, 'tests.tap');
  try {
    const exitCode = await runProgram({
      command: process.execPath, cwd: root, env: inner, quiet: json,
      args: [
        '--import', new URL('./preload.js', import.meta.url).href, '--test', ...watch ? ['--watch'] : [],
        `--test-reporter=${new URL('./failures-once.js', import.meta.url).href}`, '--test-reporter-destination=stdout', '--test-reporter=tap', `--test-reporter-destination=${tap}`, ...args, ...files.map((file) => runnerPath(file)),
      ],
    });
    return { runner: 'node', files, exitCode, tests: countTap(await readFile(tap, 'utf8').catch(() => '')) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
