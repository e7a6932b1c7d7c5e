import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { storesAmong, treadleError } from '@treadle/api';
import { locateApplication } from '../application/application.js';
import { dataDirectory } from '../application/config-glance.js';
import { applicationEnvironment } from '../application/dotenv.js';

/** Which stores a command is about. */
export interface StoreChoice {
  /** Value of `--config`. */
  readonly config?: string | undefined;
  /** Value of `--data-dir`. */
  readonly 'data-dir'?: string | undefined;
  /** Value of `--file`. */
  readonly file?: string | undefined;
}

/**
 * The files of the stores in a data directory, also of those whose database is gone, in the order of their names; or the one that was named.
 * @throws {USAGE} when there is none
 */
export async function findStores({ config, 'data-dir': dataDir, file }: StoreChoice): Promise<readonly string[]> {
  if (file !== undefined) return [resolve(file)];
  const application = locateApplication(process.cwd(), config);
  const folder = dataDir === undefined ? await dataDirectory(application, await applicationEnvironment(application)) : resolve(dataDir);
  const stores = storesAmong(await readdir(folder).catch(() => []));
  if (stores.length > 0) return stores.map((name) => join(folder, name));
  throw treadleError('USAGE', { message: `there is no store in "${folder}"`, hint: 'name the folder with --data-dir, or the database with --file' });
}

/**
 * The one store of a data directory, or the one that was named.
 * @throws {USAGE} when there is none, or several
 */
export async function findStore(choice: StoreChoice): Promise<string> {
  const [first, ...others] = await findStores(choice);
  if (first !== undefined && others.length === 0) return first;
  throw treadleError('USAGE', { message: `there are several stores: ${[first, ...others].join(', ')}`, hint: 'name one of them with --file' });
}
