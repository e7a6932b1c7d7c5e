import type { AdminCatalog } from '@treadle/api';
import { parseClassId } from '@treadle/api';
import type { Caller } from '../access/caller.js';
import type { Feature, Finding, Meta, Overview, QueuesAnswer, TelemetryUse } from '../contract/index.js';
import { findings } from '../findings/findings.js';
import { askModule, recordingNotes } from './ask-module.js';
import type { Surroundings } from './surroundings.js';

/** Features by the block of the module that serves them. */
const FEATURES: Readonly<Record<Feature, string>> = {
  http: 'http', queues: 'queue', state: 'state', streams: 'stream', cron: 'cron', steps: 'steps', traces: 'observability', logs: 'observability', metrics: 'observability',
};

/** `GET /meta` */
export async function meta({ engine, health, catalog, boot }: Surroundings, caller: Caller): Promise<Meta> {
  const { version, mode, application, root } = engine;
  const blocks = loadedBlocks(catalog);
  const features = Object.fromEntries(Object.entries(FEATURES).map(([feature, block]) => [feature, blocks.has(block)])) as Meta['features'];
  return {
    version, mode, application, root, bootId: boot.id, startedAt: boot.startedAt, pid: process.pid, addresses: Object.fromEntries(catalog.addresses()), health: health.report(),
    session: { name: caller.name, role: caller.role, payloads: caller.payloads !== false }, features, notes: await recordingNotes(catalog),
  };
}

/** `GET /overview`. `known`: findings that somebody has asked for already. */
export async function overview(surroundings: Surroundings, known?: readonly Finding[]): Promise<Overview> {
  const { catalog, health, steps, clock } = surroundings;
  const [queues, telemetry, found] = await Promise.all([
    askModule<QueuesAnswer>(catalog, { block: 'queue', path: '/' }), askModule<TelemetryUse>(catalog, { block: 'observability', path: '/telemetry' }), known ?? findings(surroundings),
  ]);
  const counts = { error: 0, warning: 0, info: 0 };
  for (const { severity } of found) counts[severity] += 1;
  return {
    time: clock.now(), health: health.report(), steps: steps?.steps().length ?? 0, workers: steps?.sessions().length ?? 0, findings: counts,
    ...queues && { queues: totals(queues) }, ...telemetry && { telemetry },
  };
}

function totals({ items, gone }: QueuesAnswer): NonNullable<Overview['queues']> {
  const sum = (count: (item: QueuesAnswer['items'][number]) => number): number => items.reduce((all, item) => all + count(item), 0);
  const ages = items.flatMap(({ oldestAgeMs }) => oldestAgeMs ?? []);
  return {
    waiting: sum(({ waiting, delayed }) => waiting + delayed), active: sum(({ active }) => active), retrying: sum(({ retrying }) => retrying),
    dead: sum(({ dead }) => dead) + gone.reduce((all, { dead }) => all + dead, 0), ...ages.length > 0 && { oldestAgeMs: Math.max(...ages) },
  };
}

function loadedBlocks(catalog: AdminCatalog): ReadonlySet<string | undefined> {
  return new Set(catalog.instances().map(({ instance }) => parseClassId(instance.classId)).map((parsed) => (parsed?.kind === 'module' ? parsed.block : undefined)));
}
