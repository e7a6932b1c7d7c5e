import { type AdminCatalog, parseClassId } from '@treadle/api';
import type { Surroundings } from '../api/surroundings.js';
import type { Finding } from '../contract/index.js';

/** Blocks whose adapters keep data. */
const KEEPING: ReadonlySet<string | undefined> = new Set(['queue', 'state', 'stream', 'cron']);

/** What is wrong with the engine itself. `note`: what limits the recordings. */
export async function engineFindings({ catalog, health, steps }: Surroundings, note: string | undefined): Promise<readonly Finding[]> {
  const checks = Object.entries(health.report().checks ?? {}).filter(([, { status }]) => status !== 'ok');
  return [
    ...checks.map(([module, { status, message = '' }]): Finding => ({
      id: `health:${module}`, severity: status === 'degraded' ? 'warning' : 'error', code: 'health', message: `${module} is ${status}: ${message}`, remedy: 'the log has more', about: { module }, path: `/modules/${encodeURIComponent(module)}`,
    })),
    ...(steps?.crashes() ?? []).slice(0, 1).map(({ runtime, reason, crashLooping }): Finding => ({
      id: `worker_crash:${runtime}`, severity: crashLooping ? 'error' : 'warning', code: 'worker_crash', message: `a Step process (${runtime}) ended: ${reason}`, remedy: 'its last output is in GET /workers', about: {},
    })),
    ...(await memoryAdapters(catalog)).map((module): Finding => ({
      id: `memory_adapter:${module}`, severity: 'info', code: 'memory_adapter', message: `${module} keeps its data in memory: a restart loses it`, remedy: 'set store_method: file_based', about: { module },
    })),
    ...note === undefined ? [] : [{ id: 'sampled', severity: 'info', code: 'sampled', message: note, remedy: 'what is shown here is not all that happened', about: {} } as const],
  ];
}

/** Adapters that say so themselves. */
async function memoryAdapters(catalog: AdminCatalog): Promise<readonly string[]> {
  const routes = catalog.routes().filter(({ method, path, classId }) => {
    const parsed = method === 'GET' && path === '/store' ? parseClassId(classId) : undefined;
    return parsed?.kind === 'adapter' && KEEPING.has(parsed.block);
  });
  const stores = await Promise.all(routes.map(async ({ instance, handle }) => ({ instance, store: await handle({ params: {}, query: {}, body: undefined }) as { readonly file?: unknown } })));
  return stores.filter(({ store }) => store.file === ':memory:').map(({ instance }) => instance);
}
