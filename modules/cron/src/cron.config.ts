import type { ConfigSchema } from '@treadle/api';

/** `config` of `modules::cron::CronModule`: nothing but its adapter. */
export type CronConfig = Readonly<Record<string, never>>;

/** Schema of the module's config. */
export const CRON_CONFIG: ConfigSchema<CronConfig> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    adapter: { type: 'object', 'x-slot': 'cron', description: 'Where ticks and runs are kept; the embedded store when it is not written.' },
  },
};
