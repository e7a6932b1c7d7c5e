import { flowGraph } from '../flows/flow-graph.js';
import { findings } from '../findings/findings.js';
import { Refusal } from '../server/refusal.js';
import { askModule } from './ask-module.js';
import { overview } from './meta.js';
import { modulesOverview, stepsOverview } from './overview.js';
import type { Surroundings } from './surroundings.js';

/** An answer that the live topic of its name sends again when it has changed. */
export interface Snapshot {
  /** How often it is read while somebody has subscribed; milliseconds. */
  readonly everyMs: number;
  readonly read: (surroundings: Surroundings) => unknown;
}

/** The live topics that are answers of routes. */
export const SNAPSHOTS: Readonly<Record<string, Snapshot>> = {
  overview: { everyMs: 1_000, read: overview },
  queues: { everyMs: 1_000, read: queues },
  steps: { everyMs: 1_000, read: stepsOverview },
  modules: { everyMs: 2_000, read: modulesOverview },
  flows: { everyMs: 2_000, read: flowGraph },
  jobs: { everyMs: 500, read: ({ jobs }) => ({ items: jobs.list() }) },
  findings: { everyMs: 5_000, read: async (surroundings) => ({ items: await findings(surroundings) }) },
};

async function queues({ catalog }: Surroundings): Promise<unknown> {
  const answer = await askModule(catalog, { block: 'queue', path: '/' });
  if (answer !== undefined) return answer;
  throw new Refusal(404, 'module_not_loaded', 'this engine has no queue module');
}
