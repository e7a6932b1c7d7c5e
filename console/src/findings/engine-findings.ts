import type { Surroundings } from '../api/surroundings.js';
import type { Finding } from '../contract/index.js';

/** What is wrong with the engine itself. `note`: what limits the recordings. */
export function engineFindings(surroundings: Surroundings, note: string | undefined): readonly Finding[] {
  const { health, steps } = surroundings;
  const checks = Object.entries(health.report().checks ?? {}).filter(([, { status }]) => status !== 'ok');
  return [
    ...checks.map(([module, { status, message = '' }]): Finding => ({
      id: `health:${module}`, severity: status === 'degraded' ? 'warning' : 'error', code: 'health', message: `${module} is ${status}: ${message}`, remedy: 'the log has more', about: { module }, path: `/modules/${encodeURIComponent(module)}`,
    })),
    ...latestCrash(steps),
    ...memoryAdapters(surroundings),
    ...note === undefined ? [] : [{ id: 'sampled', severity: 'info', code: 'sampled', message: note, remedy: 'what is shown here is not all that happened', about: {} } as const],
  ];
}

/** The latest end of a Step process; it is over once that process runs again. */
function latestCrash(steps: Surroundings['steps']): readonly Finding[] {
  const [crash] = steps?.crashes() ?? [];
  if (!crash) return [];
  const { runtime, worker, reason, crashLooping } = crash;
  const was = steps?.workers().some((one) => one.runtime === runtime && one.worker === worker && one.state === 'ready') === true;
  return [{
    id: `worker_crash:${runtime}`, severity: was ? 'info' : crashLooping ? 'error' : 'warning', code: 'worker_crash', message: `a Step process (${runtime}) ended: ${reason}`,
    remedy: was ? 'it runs again; its last output is in GET /workers' : 'its last output is in GET /workers', about: {}, ...was && { was },
  }];
}

/** Adapters that declare that a restart loses what they keep. */
function memoryAdapters({ catalog, settings }: Surroundings): readonly Finding[] {
  const adapters = catalog.instances().filter(({ capabilities }) => (capabilities as { readonly durable?: unknown } | undefined)?.durable === false);
  return adapters.map(({ instance: { id, classId, path } }): Finding => {
    const canKeep = settings.list().some((one) => one.module === classId && one.path.endsWith('.store_method'));
    return {
      id: `memory_adapter:${path}:${id}`, severity: 'info', code: 'memory_adapter', message: `${id} keeps its data in memory: a restart loses it`,
      remedy: canKeep ? 'write "store_method: file_based" into its config' : 'take an adapter that declares "durable", such as the embedded Sqlite of the same module', about: { module: id },
    };
  });
}
