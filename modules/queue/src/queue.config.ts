import { type ConfigSchema, liveSettings } from '@treadle/api';

/** `config` of `modules::queue::QueueModule`. */
export interface QueueConfig {
  readonly retire_delay_ms: number;
  readonly max_waiting: number;
}

/** Schema of the module's config. */
export const QUEUE_CONFIG: ConfigSchema<QueueConfig> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    adapter: { type: 'object', 'x-slot': 'queue', description: 'Where messages are kept; the embedded store when it is not written.' },
    ...liveSettings({
      retire_delay_ms: {
        type: 'integer', minimum: 0, maximum: 3_600_000, default: 10_000, 'x-unit': 'ms',
        description: 'How long a catalog must be complete and unchanged before subscriptions that it does not name are retired; at once in development.',
      },
      max_waiting: {
        type: 'integer', minimum: 1, maximum: 10_000_000, default: 1_000_000,
        description: 'Most messages that wait in one subscription; more are refused with QueueFull.',
      },
    }),
  },
};
