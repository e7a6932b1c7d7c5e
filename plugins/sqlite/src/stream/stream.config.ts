import type { ConfigSchema } from '@treadle/api';
import { STORE_DEFAULTS, STORE_PROPERTIES, type StoreConfig } from '../store/store.config.js';

/** What operators write for `modules::stream::adapters::Sqlite`. */
export type SqliteStreamConfig = StoreConfig;

/** Values when YAML writes nothing. */
export const STREAM_DEFAULTS: SqliteStreamConfig = STORE_DEFAULTS;

export const SqliteStreamConfig: ConfigSchema<SqliteStreamConfig> = {
  type: 'object', additionalProperties: false, properties: STORE_PROPERTIES,
};
