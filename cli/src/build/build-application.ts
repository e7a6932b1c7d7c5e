import type { Diagnostic } from '@treadle/api';
import { BUILD_PROGRAMS } from '@treadle/protocol/build-lock';
import { isNodeStep, type StepFileReport } from '@treadle/worker';
import { bundleHandlers, type HandlerBundle } from './bundle-handlers.js';
import { bundleWorker } from './bundle-worker.js';
import { writeBuild } from './dist-folder.js';
import { formatLock, makeLock, type WholeLock } from './lock.js';
import type { NeededPackage } from './packages.js';
import { NODE_PROGRAM, PYTHON_PROGRAM } from './programs.js';
import { pythonFiles } from './python-files.js';

/** A finished build. */
export interface Build {
  readonly lock: WholeLock;
  /** Sorted by place. */
  readonly warnings: readonly Diagnostic[];
}

/**
 * Builds the application at `root` (absolute) from what its files declare; none of them may have a problem. Nothing is
 * written before everything is there.
 * @throws {Failures} of {BUILD_FAILED} @throws {FILE_NOT_WRITABLE}
 */
export async function buildApplication(root: string, reports: readonly StepFileReport[]): Promise<Build> {
  const [handlers, worker, python] = await Promise.all([
    bundleHandlers(root, reports.map(({ file }) => file).filter(isNodeStep)), bundleWorker(), pythonFiles(root, reports),
  ]);
  const outputs = new Map<string, string | Buffer>([
    ...handlers.outputs, ...worker, [BUILD_PROGRAMS.node, NODE_PROGRAM] as const, ...python.outputs,
    ...(python.sources.length > 0 ? [[BUILD_PROGRAMS.python, PYTHON_PROGRAM] as const] : []),
  ]);
  const { modules, packages } = handlers;
  const lock = makeLock({ root, reports, modules, packages, outputs, sources: [...handlers.sources, ...python.sources] });
  await writeBuild(root, { files: outputs, lock: formatLock(lock) });
  return { lock, warnings: [...compilerWarnings(handlers), ...packages.flatMap(packageWarnings)] };
}

function compilerWarnings({ warnings }: HandlerBundle): readonly Diagnostic[] {
  return warnings.map(({ text, location }) => ({
    severity: 'warning', code: 'BUILD_WARNING', message: text, remedy: 'see whether the built Step does what the source does',
    file: location?.file ?? 'steps', ...(location ? { line: location.line, column: location.column + 1 } : {}),
  }));
}

/** What works here and may not where only a production installation is. */
function packageWarnings({ name, version, importer, isDependency, isReachable }: NeededPackage): readonly Diagnostic[] {
  const warning = (code: string, message: string, remedy: string): readonly Diagnostic[] => [{ severity: 'warning', code, message, remedy, file: importer }];
  if (version === undefined) {
    return warning('BUILD_PACKAGE_MISSING', `"${name}" is imported and not installed`, `npm install ${name}, unless the code does without it`);
  }
  if (!isReachable) {
    const message = `"${name}" ${version} is found from this file, but not from the application`;
    return warning('BUILD_PACKAGE_UNREACHABLE', message, `add "${name}" to "dependencies" of the application's package.json`);
  }
  if (isDependency) return [];
  const message = `"${name}" is needed at run time, but package.json does not have it in "dependencies"`;
  return warning('BUILD_PACKAGE_NOT_A_DEPENDENCY', message, `npm install --save ${name}`);
}
