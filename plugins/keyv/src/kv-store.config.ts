import type { ConfigSchema } from '@treadle/api';

/** `config` of the `KvStore` adapters. */
export interface KvStoreConfig {
  readonly store_method: 'in_memory' | 'file_based';
  /** Relative to `engine.data_dir`; with `file_based` only. */
  readonly file_path: string;
}

/** The variants of an adapter with this config. */
export const KV_STORE_VARIANTS: Readonly<Record<KvStoreConfig['store_method'], KvStoreConfig>> = {
  in_memory: { store_method: 'in_memory', file_path: 'kv_store.db' },
  file_based: { store_method: 'file_based', file_path: 'kv_store.db' },
};

/** Schema of the adapters' config. */
export const KV_STORE_CONFIG: ConfigSchema<KvStoreConfig> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    store_method: {
      type: 'string', enum: ['in_memory', 'file_based'], default: 'in_memory', description: 'Where the data is kept',
      'x-enum-docs': { in_memory: 'in this process; lost when the engine ends', file_based: 'in a file of SQLite' },
    },
    file_path: {
      type: 'string', minLength: 1, default: 'kv_store.db',
      description: 'The file of file_based, relative to engine.data_dir; adapters that name the same file share it',
    },
  },
};
