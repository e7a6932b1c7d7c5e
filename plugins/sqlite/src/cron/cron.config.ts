import type { ConfigSchema } from '@treadle/api';
import { STORE_DEFAULTS, STORE_PROPERTIES, type StoreConfig } from '../store/store.config.js';

/** What operators write for `modules::cron::adapters::Sqlite`. */
export type SqliteCronConfig = StoreConfig;

/** Values when YAML writes nothing. */
export const CRON_DEFAULTS: SqliteCronConfig = STORE_DEFAULTS;

export const SqliteCronConfig: ConfigSchema<SqliteCronConfig> = {
  type: 'object',
  additionalProperties: false,
  properties: STORE_PROPERTIES,
};
