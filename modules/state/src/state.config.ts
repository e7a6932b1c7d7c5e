import type { ConfigSchema } from '@treadle/api';

/** `config` of `modules::state::StateModule`: nothing but its adapter. */
export type StateConfig = Readonly<Record<string, never>>;

/** Schema of the module's config. */
export const STATE_CONFIG: ConfigSchema<StateConfig> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    adapter: { type: 'object', 'x-slot': 'state', description: 'Where state is kept; the embedded store when it is not written.' },
  },
};
