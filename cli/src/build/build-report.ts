import { condense, formatDiagnostic } from '@treadle/module-steps';
import type { Diagnostic } from '@treadle/api';
import { BUILD_PROGRAMS, DIST_FOLDER, LOCK_FILE_NAME } from '@treadle/protocol/build-lock';
import { paintError, type TerminalStream } from '../terminal/paint.js';
import { count } from '../terminal/table.js';
import type { WholeLock } from './lock.js';

/** What `build --json` prints. */
export interface BuildReport {
  readonly exitCode: number;
  readonly name?: string;
  /** Content hash. Absent: nothing was written. */
  readonly build?: string;
  readonly steps?: number;
  readonly streams?: number;
  /** What has to run it, by language. */
  readonly runtimes?: WholeLock['runtimes'];
  /** Packages that are needed at run time, with the version that was found. */
  readonly packages?: WholeLock['packages'];
  /** Files of the build, relative to `dist`. */
  readonly files?: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The report of a build that was written. */
export function buildReport(lock: WholeLock, diagnostics: readonly Diagnostic[]): BuildReport {
  const { name, build, steps, streams, runtimes, packages, files } = lock;
  return { exitCode: 0, name, build, steps: steps.length, streams: streams.length, runtimes, packages, files: Object.keys(files), diagnostics };
}

/** A build in words: what it is, how it is run, and what it needs there. */
export function formatBuild(lock: WholeLock, diagnostics: readonly Diagnostic[], stream: TerminalStream): string {
  const { name, build, steps, streams, runtimes, packages } = lock;
  const declared = streams.filter(({ role }) => role === 'stream').length;
  const what = [count(steps.length, 'Step'), ...(declared > 0 ? [count(declared, 'stream')] : [])].join(' and ');
  const needed = Object.entries(packages).map(([each, version]) => `${each} ${version}`);
  const languages = [runtimes['node'] && `Node ${runtimes['node']}`, runtimes['python'] && `Python ${runtimes['python']}`].filter(Boolean);
  return [
    ...condense(diagnostics).map((diagnostic) => paintError(formatDiagnostic(diagnostic), stream)),
    `built ${name} ${build}: ${what}${languages.length > 0 ? ` for ${languages.join(' and ')}` : ''}.`,
    `  node ${DIST_FOLDER}/${BUILD_PROGRAMS.node}`, ...(runtimes['python'] ? [`  python ${DIST_FOLDER}/${BUILD_PROGRAMS.python}`] : []),
    `  ${LOCK_FILE_NAME} and ${DIST_FOLDER}/${LOCK_FILE_NAME}`,
    `packages at run time: ${needed.length > 0 ? needed.join(', ') : 'none'}.`,
  ].join('\n');
}
