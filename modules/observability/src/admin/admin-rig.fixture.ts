import { type AdminError, type AdminRequest, AdminStream } from '@treadle/api';
import { fakeClock, type FakeClock } from '@treadle/testing';
import { id, TRACE } from '../span.fixture.js';
import { TelemetryStore } from '../telemetry-store.js';
import type { OtelConfig } from '../otel.config.js';
import { addLogRoutes } from './log-routes.js';
import { addMetricRoutes } from './metric-routes.js';
import { RecordingNotes } from './recording-notes.js';
import { addTraceRoutes } from './trace-routes.js';

type Handle = (request: AdminRequest, send?: (event: unknown) => void) => unknown;

export const CONFIG = {
  enabled: true, exporter: 'memory', sampling_ratio: 1, memory_max_spans: 100, memory_max_bytes: 1e6, metrics_enabled: true, metrics_exporter: 'memory', metrics_max_count: 100, metrics_retention_seconds: 60,
  logs_enabled: true, logs_exporter: 'memory', logs_max_count: 5000, logs_max_bytes: 1e7, logs_retention_seconds: 60, logs_sampling_ratio: 1,
} as unknown as OtelConfig;

const textOf = ({ pieces }: AdminStream): string => Buffer.concat([...pieces].map((piece) => Buffer.from(piece))).toString();

/** The admin routes of a module of observability, without a server. */
export class AdminRig {
  readonly clock: FakeClock = fakeClock(0);
  readonly store: TelemetryStore;
  private readonly handlers = new Map<string, Handle>();

  constructor(config: Partial<OtelConfig> = {}, samples = (): boolean => true, store?: TelemetryStore) {
    const whole = { ...CONFIG, ...config };
    this.store = store ?? new TelemetryStore(whole);
    const add = (method: string) => (path: string, handle: Handle): void => void this.handlers.set(`${method} ${path}`, handle);
    const routes = { get: add('GET'), post: add('POST'), put: add('PUT'), delete: add('DELETE'), events: add('EVENTS') } as never;
    const notes = new RecordingNotes(whole, this.store, samples);
    addTraceRoutes(routes, this.store, { notes, clock: this.clock, resource: () => ({ 'service.name': 'shop' }) });
    addLogRoutes(routes, this.store, { notes, clock: this.clock });
    addMetricRoutes(routes, this.store, { clock: this.clock, notes, resource: () => ({ 'service.name': 'shop' }) });
  }

  async call(route: string, request: Partial<AdminRequest> = {}): Promise<Record<string, never>> {
    const answer = this.handlers.get(route)?.({ params: {}, query: {}, body: undefined, ...request }) as Promise<Record<string, never>>;
    return answer.then(
      (value: unknown) => (value instanceof AdminStream ? JSON.parse(textOf(value)) : value) as Record<string, never>,
      (error: AdminError) => ({ refused: `${error.status} ${error.code}: ${error.message}` }) as never,
    );
  }

  follow(query: AdminRequest['query'], send: (event: unknown) => void, what = 'logs'): () => void {
    return this.handlers.get(`EVENTS /${what}/follow`)?.({ params: {}, query, body: undefined }, send) as () => void;
  }

  log(message: string, level: 'info' | 'error' = 'info'): void {
    this.store.logs.add({ timestamp: new Date(this.clock.now()).toISOString(), level, message, traceId: TRACE, spanId: id(1), service: 's', stepName: '' });
  }
}
