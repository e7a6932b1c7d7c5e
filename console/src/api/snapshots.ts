import type { Finding } from '../contract/index.js';
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

/** How old findings may be; milliseconds. They look at all that is recorded. */
const FINDINGS_MS = 5_000;
const latest = new WeakMap<Surroundings, { readonly at: number; readonly found: Promise<readonly Finding[]> }>();

function newFindings(surroundings: Surroundings): Promise<readonly Finding[]> {
  const found = findings(surroundings);
  latest.set(surroundings, { at: surroundings.clock.monotonic(), found });
  return found;
}

/** Those that another topic has read, too. */
function recentFindings(surroundings: Surroundings): Promise<readonly Finding[]> {
  const known = latest.get(surroundings);
  return known && surroundings.clock.monotonic() - known.at < FINDINGS_MS ? known.found : newFindings(surroundings);
}

/** The live topics that are answers of routes. */
export const SNAPSHOTS: Readonly<Record<string, Snapshot>> = {
  overview: { everyMs: 1_000, read: async (surroundings) => overview(surroundings, await recentFindings(surroundings)) },
  queues: { everyMs: 1_000, read: queues },
  steps: { everyMs: 1_000, read: stepsOverview },
  modules: { everyMs: 2_000, read: modulesOverview },
  flows: { everyMs: 2_000, read: flowGraph },
  jobs: { everyMs: 500, read: ({ jobs }) => ({ items: jobs.list() }) },
  findings: { everyMs: FINDINGS_MS, read: async (surroundings) => ({ items: await newFindings(surroundings) }) },
};

async function queues({ catalog }: Surroundings): Promise<unknown> {
  const answer = await askModule(catalog, { block: 'queue', path: '/' });
  if (answer !== undefined) return answer;
  throw new Refusal(404, 'module_not_loaded', 'this engine has no queue module');
}
