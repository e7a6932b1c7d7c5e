import type { Address, IsoTime, JsonValue, PayloadText } from './common.js';

/** `POST /run` */
export type RunRequest = RunHttp | RunQueue | RunCron | RunStream | RunReplay;

/** A request to this engine's own HTTP port. */
export interface RunHttp {
  readonly kind: 'http';
  /** e.g. `POST` */
  readonly method: string;
  /** With its query, e.g. `/orders/1?dry=true`. */
  readonly path: Address;
  readonly headers?: Readonly<Record<string, PayloadText>>;
  /** As it is sent. */
  readonly body?: PayloadText;
  /** 1 to 120,000; default 30,000. */
  readonly timeoutMs?: number;
}

/** A message to a topic. */
export interface RunQueue {
  readonly kind: 'queue';
  readonly topic: string;
  readonly data: JsonValue;
  readonly headers?: Readonly<Record<string, PayloadText>>;
  readonly delayMs?: number;
  readonly messageGroupId?: string;
  readonly dedupeKey?: string;
}

/** A run of a cron trigger now. */
export interface RunCron {
  readonly kind: 'cron';
  readonly step: string;
  readonly trigger?: string;
}

/** Writes a stream item. */
export interface RunStream {
  readonly kind: 'stream';
  readonly stream: string;
  readonly group: string;
  readonly id: string;
  readonly data: JsonValue;
}

/** A run of the Step of a handler's span once more, and of this Step alone, in a trace of its own that links to the span. */
export interface RunReplay {
  readonly kind: 'replay';
  /** 16 hex digits: the span of a handler whose input is recorded. */
  readonly span: string;
  /** Another input, as JSON in a text; absent: the recorded one. */
  readonly input?: PayloadText;
}

/** What `POST /run` answers, and an item of `GET /history`. The history holds the last 200 of each target, 2,000 or 32 MiB in all, until the engine ends. */
export interface RunRecord {
  readonly id: string;
  readonly at: IsoTime;
  readonly who: string;
  readonly request: RunRequest;
  /** Of what it caused; ask `/traces/<id>` for it. Absent where it caused none. */
  readonly traceId?: string;
  readonly durationMs: number;
  readonly outcome: RunOutcome;
  /** Who asks sees no payloads, which have stand-ins. Or may only look: `body` of a request over HTTP and `input` of a replay are left out, `body` of the answer is empty, and secrets in addresses and headers have stand-ins. */
  readonly withheld?: true;
}

export type RunOutcome =
  | HttpOutcome
  | { readonly kind: 'queue'; readonly messageId: string; readonly unrouted?: true }
  | { readonly kind: 'cron'; readonly runId: string }
  | { readonly kind: 'stream'; readonly revision: number }
  | { readonly kind: 'replay'; readonly step: string; /** Root of the new trace. */ readonly spanId: string }
  /** It did not get through; e.g. `unreachable`, `timeout`. */
  | { readonly kind: 'failed'; readonly code: string; readonly detail: string };

export interface HttpOutcome {
  readonly kind: 'http';
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: PayloadText])[];
  /** The body as text, or as base64 when it is no UTF-8. At most the first 1 MiB. */
  readonly body: PayloadText;
  readonly base64: boolean;
  readonly bytes: number;
  readonly truncated: boolean;
  /** Milliseconds until the first byte of the answer. */
  readonly firstByteMs: number;
}
