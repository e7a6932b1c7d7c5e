import type { ConfigSchema } from '@treadle/api';
import { ENGINE_PRESETS } from './preset.js';

/** The `engine:` section, validated. */
export interface EngineSettings {
  /** The application's root, relative to the config file. */
  readonly root?: string;
  readonly preset?: (typeof ENGINE_PRESETS)[number];
  readonly mode: 'development' | 'production';
  /** Relative to the config file's folder, or to the working directory without one. */
  readonly data_dir: string;
  readonly implicit_modules: boolean;
  readonly drain_delay_ms: number;
  readonly drain_timeout_ms: number;
  readonly init_timeout_ms: number;
  readonly start_timeout_ms: number;
  readonly stop_timeout_ms: number;
}

/** Longest wait that a timer of Node can keep: about 24 days. */
const MAX_TIMER_MS = 2_147_483_647;

const waitMs = (description: string, byDefault: number, minimum = 1): ConfigSchema => ({
  type: 'integer', description, default: byDefault, minimum, maximum: MAX_TIMER_MS, 'x-unit': 'ms',
});

/** Schema of the `engine:` section. */
export const ENGINE_SCHEMA: ConfigSchema<EngineSettings> = {
  type: 'object',
  description: 'Settings of the engine itself.',
  additionalProperties: false,
  properties: {
    root: {
      type: 'string', minLength: 1, examples: ['..'],
      description: "The application's root, relative to this file; default: this file's folder.",
    },
    preset: {
      type: 'string', enum: [...ENGINE_PRESETS],
      description: 'Gives the settings of this section that are not written here.',
      'x-enum-docs': {
        development: 'mode: development',
        production: 'drain_delay_ms: 5000, for an engine behind a load balancer',
      },
    },
    mode: {
      type: 'string', enum: ['development', 'production'], default: 'production',
      description: 'Development runs the sources and reloads them; production runs the build when there is one.',
      'x-enum-docs': {
        development: 'Runs the sources and swaps Steps when their files change.',
        production: 'Runs dist/ when it holds a build, else the sources.',
      },
    },
    data_dir: {
      type: 'string', minLength: 1, default: './data',
      description: "Folder for the engine's data, relative to this file.",
    },
    implicit_modules: {
      type: 'boolean', default: true,
      description: 'Adds the built-in modules that this file does not name, with the default settings.',
    },
    drain_delay_ms: { ...waitMs('Wait after the stop signal, still accepting, so that load balancers notice.', 0, 0), 'x-env': 'DRAIN_DELAY_MS' },
    drain_timeout_ms: waitMs('Longest wait for running handlers at a stop.', 30_000, 0),
    init_timeout_ms: waitMs('Longest init of one module.', 10_000),
    start_timeout_ms: waitMs('Longest start of one module.', 30_000),
    stop_timeout_ms: waitMs('Longest stop of one module.', 10_000),
  },
};
