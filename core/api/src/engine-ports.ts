import type { Environment } from './environment.js';
import type { LogSink } from './logger.js';
import { token } from './token.js';
import type { Unsubscribe } from './unsubscribe.js';

/** Facts about the running engine. */
export interface EngineInfo {
  /** Variables of this engine: of its process, and of the application's `.env` files. Config, workers and exporters see the same. */
  readonly env: Environment;
  readonly version: string;
  /** Of this start of the engine; unique among all engines that ever were. Telemetry has it as `service.instance.id`. */
  readonly engineId: string;
  readonly mode: 'development' | 'production';
  /** Absolute path of the application's root. */
  readonly root: string;
  /** Absolute path; exists, mode 0700. */
  readonly dataDir: string;
  /** Absolute path of the config file; absent with the default configuration. */
  readonly configFile?: string | undefined;
  /** The application's name: of the lock file, else the root folder's. */
  readonly application: string;
  /** Notes a port or socket for `<data_dir>/engine.json` and the start-up lines, e.g. `('http', 'http://127.0.0.1:3111')`. */
  announce(name: string, address: string): void;
}
export const EngineInfo = token<EngineInfo>('engine.EngineInfo');

/** Body of `GET /health`. */
export interface HealthReport {
  readonly status: 'ok' | 'degraded' | 'starting' | 'draining' | 'unavailable';
  /** Only with `degraded` and `unavailable`. */
  readonly checks?: Readonly<Record<string, { readonly status: string; readonly message?: string }>>;
}

/** How the engine is; what `GET /health` answers. */
export interface Health {
  report(): HealthReport;
  /** True from the first stop signal on. */
  readonly draining: boolean;
  onChange(listener: (report: HealthReport) => void): Unsubscribe;
}
export const Health = token<Health>('engine.Health');

/** Where the engine's and the handlers' log records go; an observability module may wrap it. */
export const EngineLog = token<LogSink>('engine.LogSink');
