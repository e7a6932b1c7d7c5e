import { askModule, recordingNotes } from '../api/ask-module.js';
import type { Surroundings } from '../api/surroundings.js';
import type { CronTrigger, Finding, Items } from '../contract/index.js';
import { flowFacts } from '../flows/flow-graph.js';
import { engineFindings } from './engine-findings.js';
import { findingPath } from './finding-path.js';
import { flowFindings } from './flow-findings.js';
import { queueFindings } from './queue-findings.js';

const ORDER: Readonly<Record<Finding['severity'], number>> = { error: 0, warning: 1, info: 2 };

/** `GET /findings`: everything that is not as it should be, the worst first. */
export async function findings(surroundings: Surroundings): Promise<readonly Finding[]> {
  const { catalog } = surroundings;
  const [facts, cron, { traces: note }] = await Promise.all([
    flowFacts(surroundings), askModule<Items<CronTrigger>>(catalog, { block: 'cron', path: '/' }), recordingNotes(catalog),
  ]);
  const found = [...flowFindings(facts), ...queueFindings(facts.queues, cron?.items ?? []), ...engineFindings(surroundings, note)];
  return found.map(withPath).sort((a, b) => ORDER[a.severity] - ORDER[b.severity]);
}

function withPath(finding: Finding): Finding {
  const path = findingPath(finding);
  return path === undefined ? finding : { ...finding, path };
}
