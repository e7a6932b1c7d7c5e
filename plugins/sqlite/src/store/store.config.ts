import { resolve } from 'node:path';
import type { ConfigSchema, SharedUse } from '@treadle/api';
import type { Durability } from './open-connection.js';
import { realFile } from './real-file.js';

/** The settings that every adapter of this package has. */
export interface StoreConfig {
  readonly store_method: 'in_memory' | 'file_based';
  /** Relative to the engine's data directory. Adapters that name the same file share it. */
  readonly file_path: string;
  readonly durability: Durability;
}

/** Name of the store in memory: of all adapters of an engine that have it. */
export const IN_MEMORY = ':memory:';

/** Values when YAML writes nothing. */
export const STORE_DEFAULTS: StoreConfig = { store_method: 'file_based', file_path: 'treadle.db', durability: 'full' };

/** Adapters of one file share its database, so they promise the same. */
export function sharedStore({ store_method: method, file_path: file, durability }: StoreConfig, dataDir: string): readonly SharedUse[] {
  if (method === 'in_memory') return [];
  return [{ resource: realFile(resolve(dataDir, file)), key: 'durability', value: durability, hint: SAME_DURABILITY }];
}

/** The store that adapters of a config have in common; all that is in memory is one. */
export function storeName({ store_method: method, file_path: file }: StoreConfig, dataDir: string): string {
  return method === 'in_memory' ? IN_MEMORY : realFile(resolve(dataDir, file));
}

/** The same for the plan, as no other technology names a store. */
export const storeId = (config: StoreConfig, dataDir: string): string => `sqlite ${storeName(config, dataDir)}`;

/** What to do about two durabilities for one file. */
const SAME_DURABILITY = 'adapters that share a file need the same durability; give one of them a file_path of its own or the other\'s durability';

/** Schemas of the settings, for `properties` of an adapter's schema. */
export const STORE_PROPERTIES: Readonly<Record<keyof StoreConfig, ConfigSchema>> = {
  store_method: {
    type: 'string', enum: ['in_memory', 'file_based'], default: STORE_DEFAULTS.store_method,
    description: 'Where the data lives. In memory it ends with the engine.',
  },
  file_path: {
    type: 'string', minLength: 1, default: STORE_DEFAULTS.file_path,
    description: 'Database file, relative to engine.data_dir. Adapters that name the same file share one database.',
  },
  durability: {
    type: 'string', enum: ['full', 'relaxed'], default: STORE_DEFAULTS.durability,
    description: 'What an acknowledged write survives: a power cut (full), or the end of the engine alone (relaxed).',
    'x-enum-docs': { full: 'Synced to the disk before it is acknowledged.', relaxed: 'A power cut may take the last writes back.' },
  },
};

/** The forms in which each adapter of the store is tested, from its defaults. */
export function storeVariants<Config extends StoreConfig>(defaults: Config): Readonly<Record<'file_based' | 'relaxed' | 'in_memory', Config>> {
  return { file_based: defaults, relaxed: { ...defaults, durability: 'relaxed' }, in_memory: { ...defaults, store_method: 'in_memory' } };
}
