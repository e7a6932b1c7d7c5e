import { findPython } from '@treadle/runtime-python';
import { discoverStepFiles, isPythonStep } from '@treadle/worker';
import { type DoctorFinding, failed, ok, warned } from './finding.js';

/** Oldest Node.js that runs engine and command line. */
const OLDEST_NODE: readonly [number, number] = [20, 19];

/** Whether this Node.js runs engines. `version` is like `20.19.0`. */
export function checkNode(version: string): DoctorFinding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  const isFit = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  if (!isFit) return failed('node', `Node.js ${version} is older than ${OLDEST_NODE.join('.')}`, `install Node.js ${OLDEST_NODE.join('.')} or newer`);
  if (major % 2 === 1) return warned('node', `Node.js ${version} is no long-term release`, 'use an even major version in production');
  return ok('node', `Node.js ${version}`);
}

/** Whether there is a Python where Steps need one. `root` is absolute, `python` what the configuration names. */
export async function checkPython(root: string, python: string | undefined): Promise<DoctorFinding> {
  const [found, files] = await Promise.all([findPython({ root, python }), discoverStepFiles(root)]);
  const needed = files.filter(({ file }) => isPythonStep(file)).length;
  if (!('problem' in found)) return ok('python', `Python ${found.version} (${found.command})${needed === 0 ? ', not needed by any Step' : ''}`);
  if (needed === 0 && python === undefined) return ok('python', 'none, and no Step needs it');
  return failed('python', found.problem, 'install Python 3.10 or newer, or name one by "python" in the config of modules::runtime::adapters::Python');
}
