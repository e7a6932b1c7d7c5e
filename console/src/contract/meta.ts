import type { EpochMs, IsoTime, PayloadText, PlainJson, Role } from './common.js';

/** `GET /meta` */
export interface Meta {
  readonly version: string;
  readonly mode: 'development' | 'production';
  /** The application's name. */
  readonly application: string;
  /** Absolute path of the application's folder, for links into an editor; files elsewhere in the API are relative to it. */
  readonly root: string;
  /** Another one after each start of the engine. */
  readonly bootId: string;
  readonly startedAt: IsoTime;
  readonly pid: number;
  /** By name: `http`, `streams`, `console`, … */
  readonly addresses: Readonly<Record<string, string>>;
  readonly health: HealthReport;
  /** Who asks. */
  readonly session: Session;
  /** Which parts of the API this engine has. */
  readonly features: Readonly<Record<Feature, boolean>>;
  /** What limits the recordings, in words; absent when everything is kept. */
  readonly notes: { readonly traces?: string; readonly logs?: string };
}

export type Feature = 'http' | 'queues' | 'state' | 'streams' | 'cron' | 'steps' | 'traces' | 'logs' | 'metrics';

export interface Session {
  /** Name of the token; `local` for the engine's own, `anybody` with `auth: none`. */
  readonly name: string;
  readonly role: Role;
  /** False: payloads have stand-ins, whatever the role. */
  readonly payloads: boolean;
}

/** How the engine is. */
export interface HealthReport {
  readonly status: 'ok' | 'degraded' | 'starting' | 'draining' | 'unavailable';
  readonly checks?: Readonly<Record<string, { readonly status: string; readonly message?: string }>>;
}

/** `POST /session/link` `{role?, payloads?}`: a link that opens the page once. */
export interface SessionLink {
  readonly url: string;
  readonly expiresAt: IsoTime;
}

/** `GET /go/:id`: what a text that somebody pasted means. */
export interface GoTarget {
  readonly kind: 'trace' | 'span' | 'message' | 'dead letter' | 'request' | 'job' | 'step' | 'topic' | 'route' | 'stream' | 'module' | 'state' | 'file';
  /** Below the page's base, e.g. `/traces/…`. */
  readonly path: string;
  readonly title: string;
}

/** One line of `GET /audit`. */
export interface AuditEntry {
  readonly id: number;
  readonly time: IsoTime;
  /** Name of the token. */
  readonly who: string;
  readonly role: Role | 'none';
  readonly remote: string;
  readonly method: string;
  readonly path: string;
  /** SHA-256 of the body, its first 16 hex digits; absent without a body. What was sent is not kept. */
  readonly body?: PayloadText;
  /** Hash of the frozen selection, for bulk jobs. */
  readonly selection?: string;
  /** Of a job that is over, whose method is `JOB`. */
  readonly result?: string;
  readonly status: number;
  /** The header `X-Request-Id` of its answer; absent of what is no request: the end of a job, a joined stream. */
  readonly requestId?: string;
  /** Code of the refusal. */
  readonly code?: string;
}

/** `GET /overview` and live topic `overview`: what the home view and the bars show. */
export interface Overview {
  readonly time: EpochMs;
  readonly health: HealthReport;
  readonly steps: number;
  readonly workers: number;
  readonly queues?: { readonly waiting: number; readonly active: number; readonly retrying: number; readonly dead: number; readonly oldestAgeMs?: number };
  readonly findings: { readonly error: number; readonly warning: number; readonly info: number };
  readonly telemetry?: TelemetryUse;
}

/** How much is kept, and how much was evicted. */
export interface TelemetryUse {
  /** Why not all is recorded. */
  readonly notes: { readonly traces?: string; readonly logs?: string };
  readonly spans: { readonly kept: number; readonly max: number; readonly bytes: number; readonly maxBytes: number; readonly evicted: number; readonly oldest?: EpochMs };
  readonly logs: {
    readonly kept: number; readonly max: number; readonly bytes: number; readonly maxBytes: number; readonly oldest?: EpochMs;
    readonly evicted: { readonly count: number; readonly bytes: number; readonly age: number };
  };
  readonly metrics: { readonly kept: number; readonly max: number; readonly evicted: number };
}

/** `GET /api/v1`: every route of this engine. */
export interface ApiIndex {
  readonly version: string;
  /** Where the OpenAPI document is. */
  readonly openapi: string;
  readonly items: readonly ApiRoute[];
}

export interface ApiRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `:params`. */
  readonly path: string;
  readonly summary?: string;
  /** Names of its arguments. */
  readonly takes?: readonly string[];
  /** It answers with server-sent events. */
  readonly events?: true;
}

/** `GET /openapi.json`: an OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly [name: string]: PlainJson };
  readonly paths: { readonly [path: string]: PlainJson };
  readonly components: { readonly [name: string]: PlainJson };
  readonly servers: readonly PlainJson[];
  readonly security: readonly PlainJson[];
}
