import { delimiter } from 'node:path';
import { treadleError } from '@treadle/api';
import { findPython, PYTHON_PATH } from '@treadle/runtime-python';
import { PYTHON_RUNNER } from './python-runner.js';
import type { TestWishes } from './run-node-tests.js';
import { runProgram } from './run-program.js';
import { countUnittest, type TestRun } from './test-report.js';

/**
 * Runs tests in Python with `unittest`, all in one process, with the package `treadle` of the engine.
 * @throws {SERVICE_UNAVAILABLE} when there is no interpreter that will do
 */
export async function runPythonTests({ root, files, args, env, json }: TestWishes): Promise<TestRun> {
  const python = await findPython({ root, env });
  if ('problem' in python) throw treadleError('SERVICE_UNAVAILABLE', { service: `Python, for ${files.join(', ')},`, reason: python.problem });
  const path = [PYTHON_PATH, root, ...env['PYTHONPATH'] ? [env['PYTHONPATH']] : []].join(delimiter);
  let printed = '';
  const exitCode = await runProgram({
    command: python.command, args: ['-c', PYTHON_RUNNER, ...args, '--', ...files], cwd: root, env: { ...env, PYTHONPATH: path, PYTHONUNBUFFERED: '1' }, quiet: json,
    onError: (text) => { printed += text; },
  });
  return { runner: 'python', files, exitCode, tests: countUnittest(printed) };
}
