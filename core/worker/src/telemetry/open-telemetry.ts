import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { RunnerHost } from '../runner-host.js';
import { isApi } from './open-telemetry-api.js';
import { RunContextManager } from './run-context.js';
import { RunMeter } from './run-meter.js';
import { RunTracer } from './run-tracer.js';

const PACKAGE = '@opentelemetry/api';

/** What was joined in this process: one for all copies of this package, for OpenTelemetry's globals are so as well. */
interface Joined {
  /** Files of the API that were tried. */
  readonly apis: Set<string>;
  readonly meter: RunMeter;
}

const JOINED = Symbol.for('treadle.open-telemetry');
const shared = globalThis as unknown as { [JOINED]?: Joined };

/**
 * Lets spans and metrics that code of handlers makes through OpenTelemetry's API join those of their runs, if a folder
 * resolves that API. Where the application has set up OpenTelemetry itself before, that stays. To be called before Steps are
 * loaded: the API's meters cannot be changed once they are made.
 */
export function joinOpenTelemetry(folders: Iterable<string>, host: Pick<RunnerHost, 'measurements'>): void {
  for (const folder of folders) {
    const path = resolved(folder);
    if (path === undefined) continue;
    const joined = shared[JOINED] ??= { apis: new Set(), meter: new RunMeter() };
    if (!joined.apis.has(path)) register(path, joined);
  }
  shared[JOINED]?.meter.use(host);
}

/** Sends measurements that still wait. */
export function flushMeasurements(): void {
  shared[JOINED]?.meter.flush();
}

function resolved(folder: string): string | undefined {
  try {
    return createRequire(join(folder, 'package.json')).resolve(PACKAGE);
  } catch {
    return undefined; // the application does without
  }
}

function register(path: string, { apis, meter }: Joined): void {
  apis.add(path);
  try {
    const api: unknown = createRequire(import.meta.url)(path);
    if (!isApi(api)) return;
    const contexts = new RunContextManager(api);
    api.context.setGlobalContextManager(contexts);
    api.trace.setGlobalTracerProvider(new RunTracer(api, contexts));
    api.metrics.setGlobalMeterProvider(meter);
  } catch {
    // A copy that cannot be loaded is of no use to the application either.
  }
}
