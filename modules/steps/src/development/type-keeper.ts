import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Catalog, EngineInfo, Logger, StepsPort } from '@treadle/api';
import { typesFile, writeTypes } from '../types/types-file.js';

export interface TypeKeeperOptions {
  readonly steps: Pick<StepsPort, 'applications' | 'onChange'>;
  /** Has the declarations of streams as well. */
  readonly catalog: Catalog;
  readonly info: Pick<EngineInfo, 'root' | 'application'>;
  readonly log: Logger;
}

/**
 * Keeps the application's types up to date once `treadle generate types` has written them. While a Step is broken they stay as they
 * are: its neighbours' types shall not break with it.
 * @returns how to stop; resolves when nothing is being written any more
 */
export function keepTypes({ steps, catalog, info, log }: TypeKeeperOptions): () => Promise<void> {
  let work = Promise.resolve();
  const isComplete = (): boolean => steps.applications().find(({ application }) => application === info.application)?.complete ?? false;
  const renew = async (): Promise<void> => {
    if (!existsSync(join(info.root, typesFile(info.root))) || !isComplete()) return;
    const own = catalog.steps().filter(({ application }) => application === undefined || application === info.application);
    if (await writeTypes(info.root, own)) log.info('types written', { file: typesFile(info.root) });
  };
  const stop = steps.onChange(() => {
    work = work.then(renew).catch((error: unknown) => log.warn('types cannot be written', { file: typesFile(info.root), error }));
  });
  return () => {
    stop();
    return work;
  };
}
