import type { ConfigSchema } from '@treadle/api';

/** What operators write for `modules::steps::StepsModule`. */
export interface StepsConfig {
  /** Find Step files below the root and start processes for them. */
  readonly discover: boolean;
  /** Port for Step processes that are started by hand; 0 takes a free one, false switches it off. */
  readonly port: number | false;
  readonly host: string;
  /** What every Step process must show; made at start when it is not set. */
  readonly token?: string;
  /** Keep what handlers were started with; by default in development. */
  readonly record_inputs?: boolean;
}

export const StepsConfig: ConfigSchema<StepsConfig> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    discover: {
      type: 'boolean', default: true, 'x-env': 'DISCOVER_STEPS',
      description: 'Find Step files in "steps" and "src" and start a process for them; false for an engine without Steps of its own.',
    },
    port: {
      description: 'TCP port for Step processes that are started by hand; 0 takes a free one, false switches it off.',
      anyOf: [{ type: 'integer', minimum: 0, maximum: 65535 }, { const: false }], default: 3110, 'x-env': 'WORKER_PORT',
    },
    host: {
      type: 'string', minLength: 1, default: '127.0.0.1', 'x-env': 'WORKER_HOST',
      description: 'Address to listen on for those processes; any but a loopback address needs ENGINE_TOKEN, of at least 16 characters.',
    },
    token: {
      type: 'string', minLength: 1, 'x-secret': true, 'x-env': 'ENGINE_TOKEN',
      description: 'Secret that every Step process must show; one is made at each start when it is not set.',
    },
    record_inputs: {
      type: 'boolean',
      description: 'Keep what the latest runs of handlers were started with, in memory, so that one can be run again from the console; when it is not written: in development. Bodies of requests and messages are kept as they are.',
    },
    runtimes: {
      type: 'array', 'x-slot': 'runtime',
      description: 'What runs the Step files, one entry for each language; when it is not written: Node, and Python for applications that have Python files.',
    },
  },
};
