import type { ConfigSchema } from '@treadle/api';
import { STORE_DEFAULTS, STORE_PROPERTIES, type StoreConfig } from '../store/store.config.js';

/** What operators write for `modules::state::adapters::Sqlite`. */
export interface SqliteStateConfig extends StoreConfig {
  /** Values that are kept in memory for reading, in MB. */
  readonly cache_mb: number;
}

/** Values when YAML writes nothing. */
export const STATE_DEFAULTS: SqliteStateConfig = { ...STORE_DEFAULTS, cache_mb: 64 };

export const SqliteStateConfig: ConfigSchema<SqliteStateConfig> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...STORE_PROPERTIES,
    cache_mb: {
      type: 'integer', minimum: 1, maximum: 16_384, default: STATE_DEFAULTS.cache_mb, 'x-unit': 'MB', 'x-advanced': true,
      description: 'Values that are kept in memory for reading; the least recently used ones go first.',
    },
  },
};
