import type { PlainJson } from './common.js';
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
  readonly capabilities?: Readonly<Record<string, PlainJson>>;
  readonly routes: readonly { readonly method: string; readonly path: string }[];
}

/** `GET /modules/<adapter>/store`: where the store of an adapter is and how it writes. */
export interface StoreInfo {
  /** Absolute; `:memory:` when it is in memory. */
  readonly file: string;
  readonly driver: string;
  readonly durability: string;
}

/** Body of `POST /backup` and `POST /modules/<adapter>/backup`. */
export interface BackupRequest {
  /** Absolute path on the engine's machine; nothing may be there. */
  readonly file: string;
}

/** What `POST /modules/<adapter>/backup` answers. */
export interface StoreCopy {
  readonly file: string;
  readonly bytes: number;
}

/** What `POST /backup` answers. */
export interface BackupReport {
  readonly files: readonly (StoreCopy & { readonly store: string })[];
  /** Adapters whose data is in no copy: they have no store that can be copied, or keep it in memory. */
  readonly notCopied: readonly string[];
}
