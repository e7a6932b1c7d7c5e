import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EngineInfo, type Logger, type StepFile, treadleError } from '@treadle/api';
import { type BuildLock, BuildLockError, builtFiles, DIST_FOLDER, LOCK_FILE_NAME, readBuildLock, readLockFile, stepFilesOf } from '@treadle/protocol/build-lock';
import { contentHash } from '@treadle/worker/content-hash';
import { discoverStepFiles } from '@treadle/worker/discover';
import type { BuildId } from './catalog/build-book.js';

/** What this engine runs itself. */
export interface LocalFiles {
  readonly files: readonly StepFile[];
  /** The build that they come from; absent: they are the sources. */
  readonly build?: { readonly dist: string; readonly lock: BuildLock } | undefined;
}

/** An engine that runs none itself. */
export const NO_FILES: LocalFiles = { files: [] };

/** Names of changed files that a log line tells at most. */
const TOLD = 5;

/**
 * The files that an engine runs itself: of the build in `dist` in production, when there is one, else the sources.
 * @throws {BUILD_UNREADABLE}
 */
export async function findLocalFiles({ root, mode }: Pick<EngineInfo, 'root' | 'mode'>): Promise<LocalFiles> {
  const dist = join(root, DIST_FOLDER);
  const lock = mode === 'production' ? buildIn(dist) : undefined;
  return lock ? { files: stepFilesOf(builtFiles(lock)), build: { dist, lock } } : { files: await discoverStepFiles(root) };
}

/** Says which build runs, and whether the sources, where they are here, have changed since. Never rejects. */
export async function tellOfBuild(root: string, { build }: LocalFiles, log: Logger): Promise<void> {
  if (!build) return;
  const { lock } = build;
  log.info('the build in dist runs', { build: lock.build, steps: lock.steps.length });
  try {
    const changed = await changedSources(root, lock);
    if (changed.length === 0) return;
    log.warn('the build is older than the sources; what was built runs', {
      changed: changed.slice(0, TOLD).join(', '), count: changed.length, remedy: 'run "treadle build"',
    });
  } catch (error) {
    log.warn('the sources cannot be compared with the build', { reason: String(error) });
  }
}

/**
 * Sources that are not those of the build: changed, removed or new. By content, for copies and checkouts have times of their
 * own. Empty when there are no sources here at all, as in a container that has only the build.
 */
export async function changedSources(root: string, { sources, steps, streams }: Pick<BuildLock, 'sources' | 'steps' | 'streams'>): Promise<readonly string[]> {
  const known = await Promise.all(Object.entries(sources).map(async ([file, hash]) => {
    const content = await readFile(join(root, file)).catch(() => undefined);
    return { file, gone: content === undefined, same: content !== undefined && contentHash(content) === hash };
  }));
  if (known.every(({ gone }) => gone)) return [];
  const built = new Set([...steps, ...streams].map(({ file }) => file));
  const fresh = (await discoverStepFiles(root)).map(({ file }) => file).filter((file) => !built.has(file));
  return [...known.filter(({ same }) => !same).map(({ file }) => file), ...fresh].sort();
}

function buildIn(dist: string): BuildLock | undefined {
  try {
    return readBuildLock(dist);
  } catch (error) {
    if (!(error instanceof BuildLockError)) throw error;
    throw treadleError('BUILD_UNREADABLE', { file: `${DIST_FOLDER}/${LOCK_FILE_NAME}`, reason: error.message });
  }
}

/** What this engine itself runs. In development the sources as they are, whatever was built of them before. */
export function localBuild({ application, mode, root }: EngineInfo): BuildId {
  return { application, build: mode === 'development' ? 'development' : readLockFile(root)?.build };
}
