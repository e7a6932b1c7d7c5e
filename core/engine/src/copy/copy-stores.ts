import { existsSync, realpathSync } from 'node:fs';
import type { Logger, TransferContext } from '@treadle/api';
import { type EnginePlan, EngineTurn, SharedResources, systemClock } from '@treadle/kernel';
import { acquireEngineLock, type EngineLock } from '../lock/engine-lock.js';
import { ENGINE_VERSION } from '../version.js';
import { type CopyRequest, openEnds } from './copy-ends.js';
import type { CopyProgress, CopyReport } from './copy-report.js';
import { SlotCopy } from './slot-copy.js';

/** How a copy is carried out. */
export interface CopyOptions extends CopyRequest {
  /** Looks at both ends and counts; copies nothing. Stores that are not there are made, empty. */
  readonly dryRun?: boolean | undefined;
  readonly log: Logger;
  readonly tell?: ((progress: CopyProgress) => void) | undefined;
}

/**
 * Copies what the adapters of one configuration keep to those of another one, slot by slot, while no engine runs on either. A copy that was broken off goes on
 * where it was; one that is complete is only counted. Neither is taken for a copy of what an engine has changed since.
 * @throws {DATA_DIR_LOCKED} {STORE_LOCKED} {STORE_IN_USE} when an engine runs
 * @throws {COPY_TARGET_NOT_EMPTY} {COPY_OUTDATED} {COPY_NOT_POSSIBLE}
 */
export async function copyStores(options: CopyOptions): Promise<CopyReport> {
  const { from, to, log, dryRun = false, tell = () => undefined } = options;
  const locks: EngineLock[] = [];
  const shared = new SharedResources();
  const user = {};
  const base = { clock: systemClock, turn: new EngineTurn(systemClock), log };
  try {
    locks.push(...await lockFolders([from, to]));
    const ends = await openEnds(options, ({ instance }): TransferContext => ({
      ...base, shared: (key, open, close) => shared.use(user, `${instance.package}\0${key}`, open, close),
    }));
    const copies = ends.map((of) => new SlotCopy(of));
    for (const copy of copies) await copy.prepare();
    if (!dryRun) {
      // All of them first: a target that has not everything yet is no store for an engine.
      for (const copy of copies) await copy.begin();
      for (const copy of copies) await copy.carryOut(tell);
    }
    const slots = [];
    for (const copy of copies) slots.push(await copy.report());
    return { agrees: dryRun || slots.every(({ kinds }) => kinds.every(({ agrees }) => agrees)), slots };
  } finally {
    for (const error of await shared.release(user)) log.warn('a store could not be closed', { reason: String(error) });
    for (const lock of locks) lock.release();
  }
}

/** Takes the data directories as engines do, each once. */
async function lockFolders(plans: readonly EnginePlan[]): Promise<readonly EngineLock[]> {
  const locks = new Map<string, EngineLock>();
  try {
    for (const { dataDir, application } of plans) {
      const folder = existsSync(dataDir) ? realpathSync(dataDir) : dataDir;
      if (locks.has(folder)) continue;
      const facts = { pid: process.pid, startedAt: new Date().toISOString(), version: ENGINE_VERSION, application, addresses: {} };
      locks.set(folder, await acquireEngineLock(folder, facts));
    }
    return [...locks.values()];
  } catch (error) {
    for (const lock of locks.values()) lock.release();
    throw error;
  }
}
