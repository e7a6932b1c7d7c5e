import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '@treadle/api';
import { BUILD_PROGRAMS, DIST_FOLDER, LOCK_FILE_NAME } from '@treadle/protocol/build-lock';
import { WORKER_MAIN } from '@treadle/worker/worker-main';

/** How a Step process is started. */
export interface Launch {
  readonly program: string;
  /** Its arguments. */
  readonly args: readonly string[];
  /** Options of Node itself. */
  readonly nodeOptions: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
}

/** The program of a child: the Step process of the build in `dist` (absolute), else the one that loads sources. */
export function stepProgram(dist: string | undefined): Pick<Launch, 'program' | 'args'> {
  return dist === undefined ? { program: WORKER_MAIN, args: [] } : { program: join(dist, BUILD_PROGRAMS.node), args: ['--child'] };
}

/** The program that an engine in this folder will most likely want: nothing of its configuration is known yet. */
export function likelyProgram(cwd: string): Pick<Launch, 'program' | 'args'> {
  const dist = join(cwd, DIST_FOLDER);
  const isBuilt = [LOCK_FILE_NAME, BUILD_PROGRAMS.node].every((file) => existsSync(join(dist, file)));
  return stepProgram(isBuilt ? dist : undefined);
}
