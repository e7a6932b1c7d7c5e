import type { JsonValue } from './common.js';
import type { HealthReport } from './meta.js';

/** `GET /engine` */
export interface EngineOverview {
  readonly version: string;
  readonly mode: 'development' | 'production';
  readonly application: string;
  readonly root: string;
  readonly dataDir: string;
  readonly configFile?: string;
  readonly pid: number;
  readonly addresses: Readonly<Record<string, string>>;
  readonly health: HealthReport;
}

/** One of `GET /modules`' items: a module or an adapter. */
export interface ModuleInfo {
  readonly id: string;
  readonly class: string;
  readonly name?: string;
  readonly kind: 'module' | 'adapter';
  /** In the configuration, e.g. `modules[2].config.adapter`. */
  readonly path: string;
  readonly package: string;
  readonly version: string;
  readonly status: 'starting' | 'ok' | 'degraded' | 'failed' | 'stopping' | 'stopped';
  readonly message?: string;
  /** What an adapter declares, e.g. `durable`. */
  readonly capabilities?: Readonly<Record<string, JsonValue>>;
  readonly routes: readonly { readonly method: string; readonly path: string }[];
}
