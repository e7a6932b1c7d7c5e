import type { ConfigSchema } from '@treadle/api';
import { STORE_DEFAULTS, STORE_PROPERTIES, type StoreConfig } from '../store/store.config.js';

/** What operators write for `modules::queue::adapters::Sqlite`. */
export interface SqliteQueueConfig extends StoreConfig {
  /** Waiting messages that are kept in memory to be handed out without reading them back, in MB. */
  readonly memory_mb: number;
}

/** Values when YAML writes nothing. */
export const QUEUE_DEFAULTS: SqliteQueueConfig = { ...STORE_DEFAULTS, memory_mb: 64 };

export const SqliteQueueConfig: ConfigSchema<SqliteQueueConfig> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...STORE_PROPERTIES,
    memory_mb: {
      type: 'integer', minimum: 1, maximum: 16_384, default: QUEUE_DEFAULTS.memory_mb, 'x-unit': 'MB', 'x-advanced': true,
      description: 'Waiting messages that are kept in memory to be handed out without reading them back; the rest waits in the file.',
    },
  },
};
