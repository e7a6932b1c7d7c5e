import type { ConfigSchema } from '@treadle/api';

/** What operators write for `modules::runtime::adapters::Node`. */
export interface NodeConfig {
  /** Processes; each serves all Steps. */
  readonly workers: number;
  /** Heap of each process, in MB. */
  readonly max_old_space_mb?: number;
  /** Further options of Node itself. */
  readonly node_options: readonly string[];
}

export const NodeConfig: ConfigSchema<NodeConfig> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    workers: { type: 'integer', minimum: 1, maximum: 64, default: 1, description: 'Number of processes; each serves all Steps.' },
    max_old_space_mb: {
      type: 'integer', minimum: 16, 'x-unit': 'MB',
      description: 'Largest JavaScript heap of each process; what Node chooses when it is not written.',
    },
    node_options: {
      type: 'array', items: { type: 'string', pattern: '^-' }, default: [], 'x-advanced': true,
      description: 'Further command line options of Node, e.g. ["--enable-source-maps"].',
    },
  },
};
