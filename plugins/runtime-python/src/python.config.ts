import type { ConfigSchema } from '@treadle/api';

/** What operators write for `modules::runtime::adapters::Python`. */
export interface PythonConfig {
  /** Processes; each serves all Steps. */
  readonly workers: number;
  /** The interpreter: a command, or a path relative to the application. */
  readonly python?: string;
  /** Threads of each process for handlers that are no coroutines. */
  readonly threads: number;
  /** Further options of the interpreter itself. */
  readonly python_options: readonly string[];
}

export const PythonConfig: ConfigSchema<PythonConfig> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    workers: { type: 'integer', minimum: 1, maximum: 64, default: 1, description: 'Number of processes; each serves all Steps.' },
    python: {
      type: 'string', minLength: 1, examples: ['/usr/bin/python3.12'],
      description: 'The interpreter: a command, or a path relative to the application. When it is not written: the application\'s virtual environment '
        + '(.venv, venv), else python3.',
    },
    threads: {
      type: 'integer', minimum: 1, maximum: 1024, default: 128,
      description: 'Most threads of each process for handlers that are no coroutines; they are made when they are needed.',
    },
    python_options: {
      type: 'array', items: { type: 'string', minLength: 1 }, default: [], 'x-advanced': true,
      description: 'Further command line options of the interpreter, e.g. ["-X", "dev"].',
    },
  },
};
