// Written by scripts/write-answer-schemas.mjs from the components of the OpenAPI document of the admin API.
/* eslint-disable max-lines */

/** `GET /traces/activity`: what the kept spans show of each Step. */
export type Activity = {
  readonly items: readonly StepActivity[];
  /** How many spans were looked at. */
  readonly spans: number;
  /** Start of the oldest. */
  readonly from?: EpochMs;
};

/** An address, whose query is a payload. */
export type Address = string;

/** `GET /api/v1`: every route of this engine. */
export type ApiIndex = {
  readonly version: string;
  /** Where the OpenAPI document is. */
  readonly openapi: string;
  readonly items: readonly ApiRoute[];
};

export type ApiRoute = {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** With `:params`. */
  readonly path: string;
  readonly summary?: string;
  /** Names of its arguments. */
  readonly takes?: readonly string[];
  /** It answers with server-sent events. */
  readonly events?: true;
};

export type AttemptError = {
  readonly at: IsoTime;
  readonly ms?: number;
  readonly attempt: number;
  readonly code: string;
  readonly name?: string;
  readonly message: string;
  readonly stack?: string;
  readonly issues?: readonly {
    readonly in: string;
    readonly path: string;
    readonly message: string;
    readonly code: string;
  }[];
};

/** A text, number, truth value or list of texts. */
export type AttributeValue = string | number | boolean | (readonly string[]);

/** One line of `GET /audit`. */
export type AuditEntry = {
  readonly id: number;
  readonly time: IsoTime;
  /** Name of the token. */
  readonly who: string;
  readonly role: Role | "none";
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
};

/** What `POST /backup` answers. */
export type BackupReport = {
  readonly files: readonly {
    readonly store: string;
    readonly file: string;
    readonly bytes: number;
  }[];
  /** Adapters whose data is in no copy: they have no store that can be copied, or keep it in memory. */
  readonly notCopied: readonly string[];
};

/** Body of `POST /backup` and `POST /modules/<adapter>/backup`. */
export type BackupRequest = {
  /** Absolute path on the engine's machine; nothing may be there. */
  readonly file: string;
};

/** What handlers of the trace were started with. Secrets have stand-ins, as in `GET /steps/inputs/:span`. */
export type CapturedInputs = {
  readonly items: readonly RecordedInput[];
  /** Why some are not there. */
  readonly note?: string;
};

/** Which version of a Step there was. */
export type CapturedStep = {
  readonly step: string;
  readonly file: string;
  readonly line?: number;
  readonly language: "typescript" | "javascript" | "python";
  readonly config: {
    readonly name: string;
    readonly description?: string;
    readonly triggers: readonly TriggerRecord[];
    readonly enqueues?: readonly string[];
    readonly flows?: readonly string[];
    readonly virtualEnqueues?: readonly string[];
    readonly virtualSubscribes?: readonly string[];
  };
  readonly configHash: string;
  /** SHA-256 of its file; absent where the file cannot be read, e.g. of a Step of another machine. */
  readonly sourceHash?: string;
  /** Builds of the processes that serve it, where they have a name. */
  readonly builds: readonly string[];
};

/** Address of a class in YAML: `owner::block::Name` for a module, `owner::block::adapters::Name` for an adapter. */
export type ClassId = string;

/** `WS /api/v1/live`. Each message of the server is one JSON array of frames; it sends ten a second at most, and one in five seconds while `hidden`. Client messages are single objects. */
export type ClientMessage = {
  readonly type: "subscribe";
  readonly id: string;
  readonly topic: LiveTopic;
  readonly query?: { readonly [name: string]: string };
} | {
  readonly type: "unsubscribe";
  readonly id: string;
} | {
  readonly type: "visibility";
  readonly hidden: boolean;
};

export type ComparedRow = {
  readonly depth: number;
  readonly name: string;
  readonly kind: SpanKind;
  readonly stepName: string;
  readonly occurrence: number;
  readonly a?: ComparedSpan;
  readonly b?: ComparedSpan;
  readonly deltaMs?: number;
};

export type ComparedSpan = {
  readonly spanId: string;
  readonly offsetMs: number;
  readonly durationMs: number;
  readonly attempt?: number;
  readonly error?: {
    readonly type: string;
    readonly message: string;
  };
  readonly status?: number;
  /** Of a span that reads state: what it read, and whether there was something. */
  readonly state?: {
    readonly group: string;
    readonly key: string;
    readonly found: boolean;
  };
};

/** `GET /config`: what the engine goes by, value by value. Secrets are "[redacted]". */
export type ConfigAnswer = {
  /** Absolute path; absent with the default configuration. */
  readonly file?: string;
  readonly items: readonly ConfigEntry[];
};

export type ConfigEntry = {
  /** Class of the module or adapter; absent for the engine's own settings. */
  readonly module?: string;
  /** In the configuration, e.g. `modules[2].config.port`; of a module that the file does not name it begins with the class. */
  readonly path: string;
  readonly value: PlainJson;
  readonly secret: boolean;
  readonly origin: ConfigOrigin;
};

/** Where a value comes from: the schema, a line of the file or of a shipped preset, a variable, an option such as `--port`, or what the command stands for. */
export type ConfigOrigin = {
  readonly kind: "default" | "file" | "preset" | "environment" | "flag" | "command";
  readonly line?: number;
  /** Of `environment`. */
  readonly variable?: string;
  /** Of `environment`: the variable is not set, the default beside its name was taken. */
  readonly isDefault?: true;
  /** Of `flag`. */
  readonly flag?: string;
};

/** `GET /traces/:id/path?until=`: segments without gaps, together exactly `durationMs`. `until`: `effect`, the last one (default), or `reply`, the answer to the request. */
export type CriticalPath = {
  readonly segments: readonly {
    readonly kind: PathKind;
    readonly spanId: string;
    readonly name: string;
    readonly startTime: EpochMs;
    readonly durationMs: number;
  }[];
  readonly startTime: EpochMs;
  readonly durationMs: number;
  readonly byKind: {
    readonly handler?: number;
    readonly "queue wait"?: number;
    readonly "retry backoff"?: number;
    readonly state?: number;
    readonly stream?: number;
    readonly queue?: number;
    readonly network?: number;
    readonly idle?: number;
    readonly other?: number;
  };
};

/** `GET /cron/calendar?from=&to=&limit=`: the ticks to come, 7 days and 1,000 by default, in the order of time. */
export type CronCalendar = {
  readonly items: readonly {
    readonly at: IsoTime;
    readonly step: string;
    readonly trigger: string;
  }[];
  /** There are more in this time. */
  readonly truncated: boolean;
};

/** Body of `POST /cron/run` and `/resume`: a Step, and where it has several the trigger. */
export type CronChoice = {
  readonly step: string;
  readonly trigger?: string;
};

/** `GET /cron/expression?expression=&timezone=&count=&from=`: the ticks to come of any expression, 5 by default. */
export type CronExpressionTest = {
  /** As the engine understands it: names and shorthands replaced. */
  readonly expression: string;
  readonly timezone: string;
  readonly next: readonly CronTick[];
};

/** Body of `POST /cron/pause`. */
export type CronPause = {
  readonly step: string;
  readonly trigger?: string;
  /** When it ends by itself: the first tick from this moment on runs. Absent: `POST /cron/resume` ends it. */
  readonly until?: IsoTime;
};

/** One of `GET /cron/runs`' items. */
export type CronRun = {
  readonly id: string;
  readonly step: string;
  readonly trigger: string;
  readonly scheduledAt: IsoTime;
  readonly firedAt: IsoTime;
  readonly attempt: number;
  readonly manual: boolean;
  readonly missed: boolean;
  readonly status: "running" | "succeeded" | "failed" | "skipped" | "abandoned";
  readonly durationMs?: number;
  readonly traceId: string;
  readonly error?: string;
};

/** Body of `POST /cron/skip`. */
export type CronSkip = {
  readonly step: string;
  readonly trigger?: string;
  /** The tick that is meant: 409 `not_the_next_tick` when another one is next by then. Absent: whichever is. */
  readonly at?: IsoTime;
};

/** What `POST /cron/run` answers. */
export type CronStarted = {
  readonly runId: string;
  readonly traceId: string;
};

export type CronTick = {
  readonly at: IsoTime;
  /** What clocks show in the time zone, with its offset, e.g. `2027-03-28T03:00:00+02:00`. */
  readonly local: string;
  /** `shifted`: the clocks leave the wanted time out, it comes at the first moment after; `first`, `again`: the clocks show this time twice; `changed`: the offset is another one than at the tick before. */
  readonly dst?: "shifted" | "first" | "again" | "changed";
};

/** One of `GET /cron`'s items. */
export type CronTrigger = {
  readonly step: string;
  readonly trigger: string;
  readonly expression: string;
  readonly timezone: string;
  readonly paused: boolean;
  /** When the pause ends by itself; absent: somebody has to end it, or there is none. */
  readonly pausedUntil?: IsoTime;
  /** The next tick that runs. */
  readonly nextAt: IsoTime | null;
  /** Ticks to come that somebody lets be skipped, the next one first. `why` says who. */
  readonly skipped: readonly {
    readonly at: IsoTime;
    readonly why: string;
  }[];
  readonly lastRun?: CronRun;
};

/** One of `GET /queues/dead-letters`' items. */
export type DeadLetter = {
  readonly id: string;
  readonly step: string;
  readonly topic: string;
  readonly reason: "max_attempts" | "non_retryable" | "invalid_input" | "crash_limit" | "loop_limit" | "subscription_retired";
  readonly deadAt: IsoTime;
  readonly messageId: string;
  readonly kind: "queue" | "state" | "stream" | "trigger";
  readonly data: JsonValue;
  readonly headers?: { readonly [name: string]: PayloadText };
  readonly groupId?: string;
  readonly traceId: string;
  readonly enqueuedAt: IsoTime;
  readonly attempts: number;
  readonly deaths: number;
  readonly errors: readonly AttemptError[];
};

export type DeadLetterGroup = {
  /** 16 hex digits: Step, topic, reason, error name and the error's text without numbers and ids. */
  readonly fingerprint: string;
  readonly step: string;
  readonly topic: string;
  readonly reason: "max_attempts" | "non_retryable" | "invalid_input" | "crash_limit" | "loop_limit" | "subscription_retired";
  readonly errorName?: string;
  readonly message: string;
  readonly count: number;
  readonly first: IsoTime;
  readonly last: IsoTime;
  /** Ids of the newest, at most 5. */
  readonly samples: readonly string[];
};

/** `GET /queues/dead-letters/groups?step=&topic=&reason=`: letters whose last error is alike, the most frequent first. */
export type DeadLetterGroups = {
  readonly items: readonly DeadLetterGroup[];
  /** Letters that were looked at. */
  readonly examined: number;
  /** There are more than were looked at (10,000, the newest). */
  readonly truncated: boolean;
};

/** `GET /queues/dead-letters/ids?step=&topic=&reason=&fingerprint=&q=`, the newest first. */
export type DeadLetterIds = {
  readonly items: readonly string[];
  /** There are more than the 100,000 that were looked at. */
  readonly truncated: boolean;
};

/** `GET /queues/dead-letters?step=&topic=&reason=&q=&limit=&cursor=`, the latest first. */
export type DeadLetterPage = {
  readonly items: readonly DeadLetter[];
  /** Pass it on for the next page; absent on the last one. */
  readonly cursor?: string;
  /** With `q`: letters that this answer looked at, at most about 5,000; with a `cursor` there are more behind them. */
  readonly examined?: number;
};

/** What a route answers that removes something. */
export type Deleted = {
  readonly deleted: true;
};

/** Something wrong with a Step. */
export type Diagnostic = {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  readonly step?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
};

/** What `POST /queues/dead-letters/discard` answers. */
export type Discarded = {
  /** Those of `ids` that are not there, or are not of the named Step, topic and reason; absent when all are. */
  readonly notFound?: readonly string[];
  readonly discarded: number;
};

export type DoneMessage = {
  readonly messageId: string;
  readonly step: string;
  readonly topic: string;
  /** `skipped`: its condition was not met. */
  readonly outcome: "done" | "skipped";
  /** From 1. */
  readonly attempt: number;
  readonly durationMs: number;
  readonly doneAt: EpochMs;
  readonly traceId: string;
  readonly spanId: string;
};

/** `GET /traces/messages?topic=&q=&limit=&cursor=`: messages that were done, the latest first, as far as their spans are kept. */
export type DoneMessages = {
  readonly items: readonly DoneMessage[];
  /** Pass it on for the next page; absent on the last one. */
  readonly cursor?: string;
  /** Deliveries that this answer looked at, at most 20,000; with a `cursor` there are more behind them. */
  readonly examined: number;
  /** Why some may not be there. */
  readonly note?: string;
};

/** `GET /engine` */
export type EngineOverview = {
  readonly version: string;
  readonly mode: "development" | "production";
  readonly application: string;
  readonly root: string;
  readonly dataDir: string;
  readonly configFile?: string;
  readonly pid: number;
  readonly addresses: { readonly [name: string]: string };
  readonly health: HealthReport;
};

/** Milliseconds since the epoch, perhaps with fractions. */
export type EpochMs = number;

/** Runs of a Step by one kind of trigger that failed alike: their errors differ in numbers and ids only. */
export type ErrorKind = {
  /** e.g. `http` */
  readonly trigger: string;
  readonly type: string;
  /** With `<n>` and `<id>` for what differs. What is longer than 200 characters ends there with `…`. */
  readonly message: string;
  readonly count: number;
  /** Start of the first and the last of these runs. */
  readonly firstAt: EpochMs;
  readonly lastAt: EpochMs;
  /** Trace and span of the latest. */
  readonly traceId: string;
  readonly spanId: string;
  /** No run by this kind of trigger has succeeded since. */
  readonly now: boolean;
};

export type FieldFacet = {
  readonly count: number;
  readonly truncated: boolean;
  readonly field: string;
  readonly values: readonly {
    readonly value: PayloadText;
    readonly count: number;
  }[];
};

/** A file of which no Step could be loaded: `file:<path>`. */
export type FileNode = {
  readonly kind: "file";
  readonly id: string;
  /** Its name without folders. */
  readonly title: string;
  readonly file: string;
  readonly diagnostics: readonly Diagnostic[];
};

/** One of `GET /findings`' items: something that is not as it should be. */
export type Finding = {
  /** The same while the finding is the same. */
  readonly id: string;
  readonly severity: "error" | "warning" | "info";
  readonly code: "step_diagnostic" | "undeclared_enqueue" | "enqueue_never_seen" | "topic_without_consumer" | "topic_without_producer" | "enqueue_cycle" | "dead_letters" | "old_messages" | "unrouted_messages" | "subscription_paused" | "failing_step" | "cron_failing" | "memory_adapter" | "sampled" | "worker_crash" | "health";
  readonly message: string;
  readonly remedy: string;
  /** What it is about. */
  readonly about: {
    readonly step?: string;
    readonly topic?: string;
    readonly module?: string;
  };
  /** In the page, e.g. `/queues/orders?tab=dead`. */
  readonly path?: string;
  readonly file?: string;
  readonly line?: number;
  readonly count?: number;
  /** When it was seen first and last. */
  readonly firstAt?: EpochMs;
  readonly lastAt?: EpochMs;
  /** It is over: what failed has succeeded since. */
  readonly was?: true;
  /** Text to copy that mends it. */
  readonly fix?: string;
};

export type FlowEdge = {
  readonly from: string;
  readonly to: string;
  readonly kind: "enqueues" | "consumes" | "touches";
  /** A config says so. */
  readonly declared: boolean;
  /** How often the kept spans show it; 0: never seen. */
  readonly seen: number;
  /** Declared by `virtualEnqueues` or `virtualSubscribes`: for pictures only, never seen. */
  readonly virtual?: true;
  /** Of the subscription; only of `consumes`. */
  readonly queue?: {
    readonly waiting: number;
    readonly active: number;
    readonly retrying: number;
    readonly dead: number;
    readonly oldestAgeMs?: number;
    readonly paused: boolean;
  };
};

/** `GET /flows`: nodes are Steps, files that did not load, and topics, edges lead from what starts to what is started. */
export type FlowGraph = {
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
  /** Names of flows that Steps say they belong to. */
  readonly flows: readonly string[];
  /** How many spans the observed edges and numbers come from. */
  readonly observed: {
    readonly spans: number;
    readonly from?: number;
  };
};

export type FlowNode = StepNode | FileNode | TopicNode | StoreNode;

/** `GET /go/:id`: what a text that somebody pasted means. */
export type GoTarget = {
  readonly kind: "trace" | "span" | "message" | "dead letter" | "request" | "job" | "step" | "topic" | "route" | "stream" | "module" | "state" | "file";
  /** Below the page's base, e.g. `/traces/…`. */
  readonly path: string;
  readonly title: string;
};

/** How the engine is. */
export type HealthReport = {
  readonly status: "ok" | "degraded" | "starting" | "draining" | "unavailable";
  readonly checks?: { readonly [name: string]: {
      readonly status: string;
      readonly message?: string;
    } };
};

export type HttpOutcome = {
  readonly kind: "http";
  readonly status: number;
  readonly headers: readonly (readonly [string, PayloadText])[];
  /** The body as text, or as base64 when it is no UTF-8. At most the first 1 MiB. */
  readonly body: PayloadText;
  readonly base64: boolean;
  readonly bytes: number;
  readonly truncated: boolean;
  /** Milliseconds until the first byte of the answer. */
  readonly firstByteMs: number;
};

/** ISO 8601 UTC, e.g. `2026-11-23T20:00:00.000Z`. */
export type IsoTime = string;

/** A list of which everything is there. */
export type ItemsOfCronRun = {
  readonly items: readonly CronRun[];
};

/** A list of which everything is there. */
export type ItemsOfCronTrigger = {
  readonly items: readonly CronTrigger[];
};

/** A list of which everything is there. */
export type ItemsOfFinding = {
  readonly items: readonly Finding[];
};

/** A list of which everything is there. */
export type ItemsOfJobSummary = {
  readonly items: readonly JobSummary[];
};

/** A list of which everything is there. */
export type ItemsOfLogPattern = {
  readonly items: readonly LogPattern[];
};

/** A list of which everything is there. */
export type ItemsOfModuleInfo = {
  readonly items: readonly ModuleInfo[];
};

/** A list of which everything is there. */
export type ItemsOfPluginView = {
  readonly items: readonly PluginView[];
};

/** A list of which everything is there. */
export type ItemsOfQueueMessage = {
  readonly items: readonly QueueMessage[];
};

/** A list of which everything is there. */
export type ItemsOfStreamInfo = {
  readonly items: readonly StreamInfo[];
};

/** `GET /jobs/:id`, and what begins and steers one. */
export type Job = {
  readonly id: string;
  readonly selection: string;
  readonly action: "redrive" | "discard" | "delete";
  readonly kind: "dead-letters" | "state-keys";
  /** Of letters that were chosen by it. */
  readonly topic?: string;
  /** Of keys. */
  readonly group?: string;
  readonly who: string;
  readonly startedAt: IsoTime;
  readonly endedAt?: IsoTime;
  /** `failed`: it could not go on, see `error`. What did not go through alone is counted in `failed`. */
  readonly state: "running" | "paused" | "done" | "cancelled" | "failed";
  readonly count: number;
  readonly done: number;
  /** With `canary`: the one that it did before it waited. A letter has the trace in which its message goes on. */
  readonly first?: {
    readonly id: string;
    readonly traceId?: string;
  };
  /** Not there any more. */
  readonly missing: number;
  readonly failed: number;
  readonly error?: string;
  /** The first 100 that did not go through. */
  readonly failures: readonly {
    readonly id: string;
    readonly code: string;
    readonly detail: string;
  }[];
};

/** `POST /jobs`. `count` must be that of the selection: who confirms says how many. */
export type JobRequest = {
  readonly selection: string;
  readonly count: number;
  readonly action: "redrive" | "discard" | "delete";
  /** Items a second; default: as fast as it goes. */
  readonly perSecond?: number;
  /** Does one, waits for `POST /jobs/:id/resume`. */
  readonly canary?: boolean;
  /** Redrive: other data for each of them. */
  readonly data?: JsonValue;
};

/** One of `GET /jobs`' items, the latest first. The last 100 are known until the engine ends; it does nothing of them after a restart. */
export type JobSummary = {
  readonly id: string;
  readonly selection: string;
  readonly action: "redrive" | "discard" | "delete";
  readonly kind: "dead-letters" | "state-keys";
  /** Of letters that were chosen by it. */
  readonly topic?: string;
  /** Of keys. */
  readonly group?: string;
  readonly who: string;
  readonly startedAt: IsoTime;
  readonly endedAt?: IsoTime;
  /** `failed`: it could not go on, see `error`. What did not go through alone is counted in `failed`. */
  readonly state: "running" | "paused" | "done" | "cancelled" | "failed";
  readonly count: number;
  readonly done: number;
  /** With `canary`: the one that it did before it waited. A letter has the trace in which its message goes on. */
  readonly first?: {
    readonly id: string;
    readonly traceId?: string;
  };
  /** Not there any more. */
  readonly missing: number;
  readonly failed: number;
  readonly error?: string;
};

/** Event of the live topic `join`: what happens to a client that connects to this engine's streams and joins one, in its order. `at` is in milliseconds since the epoch. It stays until the subscription is ended, or `refused` or `closed` has come. */
export type JoinEvent = {
  readonly type: "connecting";
  readonly at: EpochMs;
  readonly address: string;
  readonly origin?: string;
} | {
  readonly type: "refused";
  readonly at: EpochMs;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
} | {
  readonly type: "connected";
  readonly at: EpochMs;
} | {
  readonly type: "sent";
  readonly at: EpochMs;
  readonly message: JsonValue;
} | {
  readonly type: "received";
  readonly at: EpochMs;
  readonly bytes: number;
  readonly message: JsonValue;
  readonly items?: number;
} | {
  readonly type: "closed";
  readonly at: EpochMs;
  readonly code: number;
  readonly reason: string;
};

/** Any JSON value that the application made: a payload. Who sees no payloads gets a stand-in instead. */
export type JsonValue = null | boolean | number | string | (readonly JsonValue[]) | { readonly [name: string]: JsonValue };

export type Labels = { readonly [name: string]: string | number | boolean };

/** Which dead letters are meant; everything only with `all`. */
export type LetterChoice = {
  readonly ids?: readonly string[];
  readonly step?: string;
  readonly topic?: string;
  readonly reason?: "max_attempts" | "non_retryable" | "invalid_input" | "crash_limit" | "loop_limit" | "subscription_retired";
  readonly all?: true;
};

/** `seq` counts the frames of a subscription from 1, without gaps: a missing number is a fault. */
export type LiveFrame = {
  readonly type: "hello";
  readonly bootId: string;
  readonly time: EpochMs;
} | {
  readonly type: "snapshot";
  readonly id: string;
  readonly seq: number;
  readonly data: JsonValue;
} | {
  readonly type: "stale";
  readonly id: string;
  readonly seq: number;
  readonly code: string;
  readonly detail: string;
} | {
  readonly type: "delta";
  readonly id: string;
  readonly seq: number;
  readonly events: readonly JsonValue[];
} | {
  readonly type: "gap";
  readonly id: string;
  readonly seq: number;
  readonly dropped: number;
  readonly from: EpochMs;
  readonly to: EpochMs;
} | {
  readonly type: "end";
  readonly id: string;
  readonly code: string;
  readonly detail: string;
  readonly at?: TextSpan;
} | {
  readonly type: "error";
  readonly code: string;
  readonly detail: string;
};

/**
 * | topic | query | data | |---|---|---| | `overview` | | snapshots of `Overview` | | `queues` | | snapshots of `QueuesAnswer` | | `findings` | | snapshots of `Items<Finding>` | | `flows` | | snapshots of `FlowGraph` | | `steps` | | snapshots of `StepsAnswer` | | `modules` | | snapshots of `Items<ModuleInfo>` | | `jobs` | | snapshots of `Items<Job>` | | `logs` | `q`, `level`, `step`, `traceId`, `tail` | deltas of `LogEvent` | | `traces` | `q`, `limit` | deltas of `TraceEvent` | | `state` | `group`, `key` | deltas of `StateChange` | | `stream` | `stream`, `group` | deltas of `StreamEvent` | | `join` | `stream`, `group`, `id`, `search`, `headers` | deltas of `JoinEvent`; for operators |
 *
 * Any other text is the path of a module's event route, below `/api/v1`, e.g. `/modules/acme::mail::MailModule/outbox`.
 */
export type LiveTopic = NamedTopic | string;

/** `GET /logs/context?id=&before=&after=&scope=`: records around one, the oldest first. */
export type LogContext = {
  readonly items: readonly LogRecord[];
  /** Index of the one that was asked for. */
  readonly at: number;
};

/** Event of `GET /logs/follow` and of the live topic `logs`. `dropped`: so many came too fast to be sent. */
export type LogEvent = LogRecord | {
  readonly dropped: number;
};

/** The values of a member of the records themselves, or of a field that their authors gave them. */
export type LogFacet = OwnFacet | FieldFacet;

/** `GET /logs/facets` */
export type LogFacets = {
  readonly items: readonly LogFacet[];
  readonly note?: string;
};

/** Body of `POST /logs/facets`. */
export type LogFilter = {
  readonly q?: string;
  /** This one and worse ones. */
  readonly level?: LogLevel;
  readonly step?: string;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly text?: string;
  readonly from?: TimeArgument;
  readonly to?: TimeArgument;
  /** By their path, e.g. `customer.id`. */
  readonly fields?: MapArgument;
};

/** `GET /logs/histogram` */
export type LogHistogram = {
  readonly widthMs: number;
  readonly buckets: readonly {
    readonly time: EpochMs;
    readonly debug: number;
    readonly info: number;
    readonly warn: number;
    readonly error: number;
  }[];
  readonly note?: string;
};

/** Body of `POST /logs/histogram`. */
export type LogHistogramRequest = {
  readonly q?: string;
  /** This one and worse ones. */
  readonly level?: LogLevel;
  readonly step?: string;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly text?: string;
  readonly from?: TimeArgument;
  readonly to?: TimeArgument;
  /** By their path, e.g. `customer.id`. */
  readonly fields?: MapArgument;
  /** 1 to 1,000; default 60. */
  readonly buckets?: number;
};

export type LogLevel = "debug" | "info" | "warn" | "error";

/** `GET /logs` */
export type LogPage = {
  readonly items: readonly LogRecord[];
  /** Pass it on for the next page; absent on the last one. */
  readonly cursor?: number;
  /** Fields of `q` that nothing that is kept has. */
  readonly unknownFields?: readonly UnknownField[];
  readonly total: number;
  readonly note?: string;
};

/** `GET /logs/patterns`: records alike but for their numbers and ids, the most frequent first. */
export type LogPattern = {
  /** e.g. `order <n> failed after <n> ms` */
  readonly pattern: string;
  readonly level: LogLevel;
  readonly count: number;
  readonly first: string;
  readonly last: string;
  /** Id of the latest one. */
  readonly sample: number;
};

/** One line of the log. */
export type LogRecord = {
  /** Rises with time; never used twice, by the next run of the engine neither: its records have higher ones. */
  readonly id: number;
  readonly timestamp: string;
  readonly level: LogLevel;
  readonly message: string;
  /** 32 hex digits; zeros outside a trace. */
  readonly traceId: string;
  readonly spanId: string;
  readonly service: string;
  /** Empty: the engine's own. */
  readonly stepName: string;
  readonly fields?: { readonly [name: string]: JsonValue };
};

/** Body of `POST /logs/search`. */
export type LogSearch = {
  readonly q?: string;
  /** This one and worse ones. */
  readonly level?: LogLevel;
  readonly step?: string;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly text?: string;
  readonly from?: TimeArgument;
  readonly to?: TimeArgument;
  /** By their path, e.g. `customer.id`. */
  readonly fields?: MapArgument;
  /** 1 to 5,000; default 100. */
  readonly limit?: number;
  /** Default `desc`, the latest first. */
  readonly order?: "asc" | "desc";
  readonly cursor?: number;
};

/** Fields that must have these values. */
export type MapArgument = { readonly [name: string]: string | number | boolean };

/** `GET /queues/search?topic=&step=&state=&q=&limit=&cursor=`: messages that wait, run or are to be tried again, of one consumer after the other. */
export type MessagesFound = {
  readonly items: readonly QueueMessage[];
  /** Pass it on for the next page; absent on the last one. */
  readonly cursor?: string;
  /** Messages that this answer looked at, at most 5,000; with a `cursor` there are more behind them. */
  readonly examined: number;
  /** The store shows what waits from its head alone: there may be more. */
  readonly headOnly?: true;
};

/** `GET /meta` */
export type Meta = {
  readonly version: string;
  readonly mode: "development" | "production";
  /** The application's name. */
  readonly application: string;
  /** Absolute path of the application's folder, for links into an editor; files elsewhere in the API are relative to it. */
  readonly root: string;
  /** Another one after each start of the engine. */
  readonly bootId: string;
  readonly startedAt: IsoTime;
  readonly pid: number;
  /** By name: `http`, `streams`, `console`, … */
  readonly addresses: { readonly [name: string]: string };
  readonly health: HealthReport;
  /** Who asks. */
  readonly session: Session;
  /** Which parts of the API this engine has. */
  readonly features: {
    readonly http: boolean;
    readonly queues: boolean;
    readonly state: boolean;
    readonly streams: boolean;
    readonly cron: boolean;
    readonly steps: boolean;
    readonly traces: boolean;
    readonly logs: boolean;
    readonly metrics: boolean;
  };
  /** What limits the recordings, in words; absent when everything is kept. */
  readonly notes: {
    readonly traces?: string;
    readonly logs?: string;
  };
};

export type Metric = {
  readonly kind: "counter" | "gauge";
  readonly series: readonly {
    readonly labels: Labels;
    readonly value: number;
  }[];
  readonly name: string;
  readonly description: string;
  readonly unit: string;
} | {
  readonly kind: "histogram";
  readonly series: readonly {
    readonly labels: Labels;
    readonly count: number;
    readonly sum: number;
    readonly counts: readonly number[];
  }[];
  readonly name: string;
  readonly description: string;
  readonly unit: string;
};

/** `GET /metrics/lines?name=&by=&from=&to=&limit=`: series added up by the labels that `by` names, separated by commas; `*`: each by itself, without: all together. The highest first. */
export type MetricLines = {
  readonly items: readonly {
    readonly labels: Labels;
    readonly points: readonly {
      readonly time: EpochMs;
      readonly value: number;
      readonly sum?: number;
      readonly counts?: readonly number[];
    }[];
  }[];
  readonly name: string;
  readonly by: readonly string[];
  readonly boundaries: readonly number[];
  /** Lines that are left out. */
  readonly omitted: number;
};

/** `GET /metrics/series?name=&labels=&from=&to=` */
export type MetricSeries = {
  readonly name: string;
  readonly labels: Labels;
  readonly boundaries: readonly number[];
  readonly points: readonly {
    readonly time: EpochMs;
    readonly value: number;
    readonly sum?: number;
    readonly counts?: readonly number[];
  }[];
};

/** `GET /metrics/now` */
export type MetricsNow = {
  /** Upper bounds of the buckets of histograms. */
  readonly boundaries: readonly number[];
  readonly items: readonly Metric[];
};

/** One of `GET /modules`' items: a module or an adapter. */
export type ModuleInfo = {
  readonly id: string;
  readonly class: string;
  readonly name?: string;
  readonly kind: "module" | "adapter";
  /** In the configuration, e.g. `modules[2].config.adapter`. */
  readonly path: string;
  readonly package: string;
  readonly version: string;
  readonly status: "starting" | "ok" | "degraded" | "failed" | "stopping" | "stopped";
  readonly message?: string;
  /** What an adapter declares, e.g. `durable`. */
  readonly capabilities?: { readonly [name: string]: PlainJson };
  readonly routes: readonly {
    readonly method: string;
    readonly path: string;
  }[];
};

/** Topics of the engine itself. */
export type NamedTopic = "overview" | "queues" | "findings" | "flows" | "steps" | "modules" | "jobs" | "logs" | "traces" | "state" | "stream" | "join";

/** A message to a topic. */
export type NewMessage = {
  readonly topic: string;
  readonly data: JsonValue;
  /** Not with `at`. */
  readonly delayMs?: number;
  /** When it is due: ISO 8601, or milliseconds since the epoch. */
  readonly at?: string | number;
  readonly dedupeKey?: string;
  readonly messageGroupId?: string;
  readonly headers?: { readonly [name: string]: string };
};

export type NodeRuns = {
  readonly count: number;
  readonly errors: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly lastAt: number;
};

/** `GET /openapi.json`: an OpenAPI 3.1 document. */
export type OpenApiDocument = {
  readonly openapi: string;
  readonly info: { readonly [name: string]: PlainJson };
  readonly paths: { readonly [name: string]: PlainJson };
  readonly components: { readonly [name: string]: PlainJson };
  readonly servers: readonly PlainJson[];
  readonly security: readonly PlainJson[];
};

/** `GET /traces/:id/otlp`: the JSON of an OTLP request, as a collector gets it. It is a payload as a whole. */
export type OtlpTraces = {
  readonly resourceSpans: readonly { readonly [name: string]: JsonValue }[];
};

/** `GET /overview` and live topic `overview`: what the home view and the bars show. */
export type Overview = {
  readonly time: EpochMs;
  readonly health: HealthReport;
  readonly steps: number;
  readonly workers: number;
  readonly queues?: {
    readonly waiting: number;
    readonly active: number;
    readonly retrying: number;
    readonly dead: number;
    readonly oldestAgeMs?: number;
  };
  readonly findings: {
    readonly error: number;
    readonly warning: number;
    readonly info: number;
  };
  readonly telemetry?: TelemetryUse;
};

export type OwnFacet = {
  readonly count: number;
  readonly truncated: boolean;
  readonly field: "level" | "stepName" | "service";
  readonly values: readonly {
    readonly value: string;
    readonly count: number;
  }[];
};

/** A list, page by page. */
export type PageOfAuditEntry = {
  readonly items: readonly AuditEntry[];
  /** Pass it on for the next page; absent on the last one. */
  readonly cursor?: string;
};

/** A list, page by page. */
export type PageOfRunRecord = {
  readonly items: readonly RunRecord[];
  /** Pass it on for the next page; absent on the last one. */
  readonly cursor?: string;
};

/** A list, page by page. */
export type PageOfStateItem = {
  readonly items: readonly StateItem[];
  /** Pass it on for the next page; absent on the last one. */
  readonly cursor?: string;
};

/** A list, page by page. */
export type PageOfstring = {
  readonly items: readonly string[];
  /** Pass it on for the next page; absent on the last one. */
  readonly cursor?: string;
};

export type PathKind = "handler" | "queue wait" | "retry backoff" | "state" | "stream" | "queue" | "network" | "idle" | "other";

/** A text that is a payload, such as a body or the value of a header. Who sees no payloads gets a stand-in instead. */
export type PayloadText = string;

/** Any JSON value that is no payload: it comes from code, configuration or the engine. */
export type PlainJson = null | boolean | number | string | (readonly PlainJson[]) | { readonly [name: string]: PlainJson };

/** One of `GET /plugin-views`' items: a view of a plugin whose module is in this engine. Of a view with code, `entry` is a path below the page's base, e.g. `/x-assets/line/0f3a/meter.js`: another one after the package's files have changed. */
export type PluginView = {
  /** Last part of its address; lower case. */
  readonly id: string;
  readonly title: string;
  /** A class of the same package: the view sees its admin routes. */
  readonly module: ClassId;
  readonly tier: "declarative";
  /** A GET route of the module, e.g. `/outbox`. */
  readonly source: string;
  /** An event route of the module: whenever it sends, the source is asked again. */
  readonly live?: string;
  /** Single values above the table. */
  readonly figures?: readonly ViewField[];
  readonly table?: ViewTable;
  /** What can be done with the selected row. */
  readonly actions?: readonly ViewAction[];
  /** Of its address, `/x/<plugin>/<id>`. */
  readonly plugin: string;
  readonly package: string;
  readonly version: string;
  /** Of the view's module; its routes are answered while it runs. */
  readonly status: "starting" | "ok" | "degraded" | "failed" | "stopping" | "stopped";
} | {
  /** Last part of its address; lower case. */
  readonly id: string;
  readonly title: string;
  /** A class of the same package: the view sees its admin routes. */
  readonly module: ClassId;
  readonly tier: "module";
  /** Relative to the manifest, e.g. `./page/meter.js`. All files of its folder are served to the page, and none besides. */
  readonly entry: string;
  /** Of its address, `/x/<plugin>/<id>`. */
  readonly plugin: string;
  readonly package: string;
  readonly version: string;
  /** Of the view's module; its routes are answered while it runs. */
  readonly status: "starting" | "ok" | "degraded" | "failed" | "stopping" | "stopped";
};

/** Body of every answer that is no success (RFC 9457, `application/problem+json`). */
export type Problem = {
  readonly status: number;
  /** Stable name, e.g. `not_found`. */
  readonly code: string;
  /** A sentence for people: what is wrong and what to do. */
  readonly detail: string;
  /** That of the header `X-Request-Id` and of the entry in the audit. */
  readonly requestId: string;
  /** With `invalid_query`: the characters of the query that are wrong, `to` excluded. */
  readonly at?: TextSpan;
};

/** Body of `POST /queues/messages`: one message, or several that are enqueued together. */
export type PublishRequest = NewMessage | {
  readonly messages: readonly NewMessage[];
};

/** What `POST /queues/messages` answers. */
export type Published = {
  /** In the order of the messages. */
  readonly messageIds: readonly string[];
  readonly traceId: string;
  /** Topics of theirs that nobody consumes; absent when there are none. */
  readonly unrouted?: readonly string[];
};

/** Body of `POST /queues/purge`: a subscription, or without `step` what lies in a topic that nobody consumes. */
export type PurgeRequest = SubscriptionChoice | {
  readonly topic: string;
};

/** What `POST /queues/purge` answers: how many messages were removed. */
export type Purged = {
  readonly purged: number;
};

/** A subscription: a Step and a topic; the topic is empty for changes of state and streams. */
export type QueueInfo = {
  readonly step: string;
  readonly topic: string;
  readonly application: string;
  readonly paused: boolean;
  readonly fifo: boolean;
  readonly waiting: number;
  readonly delayed: number;
  readonly retrying: number;
  readonly active: number;
  readonly dead: number;
  readonly oldestAgeMs?: number;
};

/** One of `GET /queues/messages?step=&topic=&limit=`' items. */
export type QueueMessage = {
  readonly messageId: string;
  readonly deliveryId: number;
  readonly step: string;
  readonly topic: string;
  readonly data: JsonValue;
  readonly headers?: { readonly [name: string]: PayloadText };
  readonly groupId?: string;
  readonly attempts: number;
  readonly enqueuedAt: IsoTime;
  readonly dueAt?: IsoTime;
  readonly active: boolean;
  readonly traceId: string;
};

export type QueueRate = {
  readonly step: string;
  readonly topic: string;
  /** Messages a second. `failed` are attempts that will be repeated; `settled` is done and dead. */
  readonly enqueuedPerSecond: number;
  readonly donePerSecond: number;
  readonly failedPerSecond: number;
  readonly deadPerSecond: number;
  readonly settledPerSecond: number;
  /** Until nothing waits at this rate; absent when it grows or nothing waits. */
  readonly drainMs?: number;
};

/** `GET /queues/rates?windowMs=`: messages a second over the last minute, or another window from 5 seconds to 5 minutes. */
export type QueueRates = {
  readonly items: readonly QueueRate[];
  /** Time that was looked at: shorter than the window soon after the start. */
  readonly windowMs: number;
};

/** `GET /queues` */
export type QueuesAnswer = {
  readonly items: readonly QueueInfo[];
  /** Subscriptions that are no more and have dead letters. */
  readonly gone: readonly {
    readonly step: string;
    readonly topic: string;
    readonly dead: number;
  }[];
  /** Topics that nobody consumes. */
  readonly unrouted: readonly {
    readonly topic: string;
    readonly count: number;
    readonly oldestAgeMs: number;
  }[];
};

/** `GET /steps/inputs/:span`: what a run of a handler was started with. For operators. */
export type RecordedInput = {
  /** The span of the handler. */
  readonly span: string;
  readonly step: string;
  /** Kind of the trigger, e.g. `queue`. */
  readonly trigger: string;
  /** First argument of the handler; of a request with stand-ins such as `[secret headers.cookie]`, which a replay takes back. */
  readonly input: JsonValue;
};

/** Body of `POST /queues/dead-letters/redrive`. */
export type RedriveRequest = {
  readonly ids?: readonly string[];
  readonly step?: string;
  readonly topic?: string;
  readonly reason?: "max_attempts" | "non_retryable" | "invalid_input" | "crash_limit" | "loop_limit" | "subscription_retired";
  readonly all?: true;
  /** Another Step than the one in which it died. */
  readonly toStep?: string;
  /** Another payload. */
  readonly data?: JsonValue;
};

/** What `POST /queues/dead-letters/redrive` answers. */
export type Redriven = {
  /** Those of `ids` that are not there, or are not of the named Step, topic and reason; absent when all are. */
  readonly notFound?: readonly string[];
  readonly redriven: number;
};

/** `POST /steps/replay` `{span, input?}` */
export type ReplayStarted = {
  readonly traceId: string;
  /** Root of the new trace. */
  readonly spanId: string;
  readonly step: string;
};

/** What somebody may do: look; steer messages, runs and data; also back up and make sessions for others. */
export type Role = "viewer" | "operator" | "admin";

/** A run of a cron trigger now. */
export type RunCron = {
  readonly kind: "cron";
  readonly step: string;
  readonly trigger?: string;
};

/** A request to this engine's own HTTP port. */
export type RunHttp = {
  readonly kind: "http";
  /** e.g. `POST` */
  readonly method: string;
  /** With its query, e.g. `/orders/1?dry=true`. */
  readonly path: Address;
  readonly headers?: { readonly [name: string]: PayloadText };
  /** As it is sent. */
  readonly body?: PayloadText;
  /** 1 to 120,000; default 30,000. */
  readonly timeoutMs?: number;
};

export type RunOutcome = HttpOutcome | {
  readonly kind: "queue";
  readonly messageId: string;
  readonly unrouted?: true;
} | {
  readonly kind: "cron";
  readonly runId: string;
} | {
  readonly kind: "stream";
  readonly revision: number;
} | {
  readonly kind: "replay";
  readonly step: string;
  readonly spanId: string;
} | {
  readonly kind: "failed";
  readonly code: string;
  readonly detail: string;
};

/** A message to a topic. */
export type RunQueue = {
  readonly kind: "queue";
  readonly topic: string;
  readonly data: JsonValue;
  readonly headers?: { readonly [name: string]: PayloadText };
  readonly delayMs?: number;
  readonly messageGroupId?: string;
  readonly dedupeKey?: string;
};

/** What `POST /run` answers, and an item of `GET /history`. The history holds the last 200 of each target, 2,000 or 32 MiB in all, until the engine ends. */
export type RunRecord = {
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
};

/** A run of the Step of a handler's span once more, and of this Step alone, in a trace of its own that links to the span. */
export type RunReplay = {
  readonly kind: "replay";
  /** 16 hex digits: the span of a handler whose input is recorded. */
  readonly span: string;
  /** Another input, as JSON in a text; absent: the recorded one. */
  readonly input?: PayloadText;
};

/** `POST /run` */
export type RunRequest = RunHttp | RunQueue | RunCron | RunStream | RunReplay;

/** Writes a stream item. */
export type RunStream = {
  readonly kind: "stream";
  readonly stream: string;
  readonly group: string;
  readonly id: string;
  readonly data: JsonValue;
};

/** A process that the engine starts and restarts. */
export type RuntimeWorker = {
  readonly runtime: string;
  readonly worker: number;
  readonly pid?: number;
  readonly state: "starting" | "ready" | "restarting" | "crash_looping" | "stopped";
  readonly restarts: number;
  readonly settled: boolean;
};

/** What is chosen. */
export type Selection = {
  readonly id: string;
  readonly kind: "dead-letters" | "state-keys";
  readonly count: number;
  /** SHA-256 of the ids in their order, as hex. */
  readonly hash: string;
  readonly expiresAt: IsoTime;
  /** At most 5: ids of letters, names of keys. */
  readonly samples: readonly string[];
  /** There were more than a selection may hold; they are not in it. */
  readonly truncated: boolean;
  /** What may be done with it and who may. */
  readonly actions: readonly {
    readonly action: "redrive" | "discard" | "delete";
    readonly role: Role;
  }[];
};

/** `POST /selections`: freezes which objects a job is for; what comes later is not in it. Kept 10 minutes, or until a job takes it; at most 100,000 ids in one and 500,000 in all, the oldest give way. */
export type SelectionRequest = {
  readonly kind: "dead-letters";
  readonly step?: string;
  readonly topic?: string;
  readonly reason?: string;
  readonly fingerprint?: string;
  readonly q?: string;
  readonly ids?: readonly string[];
} | {
  readonly kind: "state-keys";
  readonly group: string;
  readonly prefix?: string;
  readonly keys?: readonly string[];
};

export type Session = {
  /** Name of the token; `local` for the engine's own, `anybody` with `auth: none`. */
  readonly name: string;
  readonly role: Role;
  /** False: payloads have stand-ins, whatever the role. */
  readonly payloads: boolean;
};

/** `POST /session/link` `{role?, payloads?}`: a link that opens the page once. */
export type SessionLink = {
  readonly url: string;
  readonly expiresAt: IsoTime;
};

/** By their names. */
export type SpanAttributes = {
  readonly "code.file.path"?: AttributeValue;
  readonly "code.function.name"?: AttributeValue;
  readonly "code.line.number"?: AttributeValue;
  readonly "cron.manual"?: AttributeValue;
  readonly "cron.missed"?: AttributeValue;
  readonly "cron.outcome"?: AttributeValue;
  readonly "cron.scheduled_at"?: AttributeValue;
  readonly "cron.trigger"?: AttributeValue;
  readonly "http.request.method"?: AttributeValue;
  readonly "http.response.status_code"?: AttributeValue;
  readonly "http.route"?: AttributeValue;
  readonly "messaging.batch.message_count"?: AttributeValue;
  readonly "messaging.destination.name"?: AttributeValue;
  readonly "messaging.message.id"?: AttributeValue;
  readonly "messaging.operation.type"?: AttributeValue;
  readonly "messaging.system"?: AttributeValue;
  readonly "queue.enqueued_at"?: AttributeValue;
  readonly "queue.next_attempt_at"?: AttributeValue;
  readonly "queue.outcome"?: AttributeValue;
  readonly "replay.edited"?: AttributeValue;
  readonly "state.group"?: AttributeValue;
  readonly "state.key"?: AttributeValue;
  readonly "state.operation"?: AttributeValue;
  readonly "state.rev.after"?: AttributeValue;
  readonly "state.rev.before"?: AttributeValue;
  readonly "step.attempt"?: AttributeValue;
  readonly "step.name"?: AttributeValue;
  readonly "step.trigger"?: AttributeValue;
  readonly "stream.group"?: AttributeValue;
  readonly "stream.id"?: AttributeValue;
  readonly "stream.name"?: AttributeValue;
  readonly "stream.rev.after"?: AttributeValue;
  readonly "treadle.operation"?: AttributeValue;
  readonly "url.path"?: AttributeValue;
  readonly "url.scheme"?: AttributeValue;
} & { readonly [name: string]: JsonValue };

export type SpanEvent = {
  readonly name: string;
  readonly time: EpochMs;
  readonly attributes?: { readonly [name: string]: JsonValue };
};

export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";

/** `GET /traces/:id/spans?parent=`: children of a span. */
export type SpanPage = {
  readonly items: readonly SpanRow[];
  /** Pass it on for the next page; absent on the last one. */
  readonly cursor?: number;
  /** On all pages. */
  readonly total: number;
};

/** A span as a line of the tree. */
export type SpanRow = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startTime: EpochMs;
  readonly durationMs: number;
  readonly stepName: string;
  readonly attributes: SpanAttributes;
  readonly error?: {
    readonly type: string;
    readonly message: string;
    readonly stack?: string;
  };
  readonly events?: readonly SpanEvent[];
  readonly links?: readonly string[];
  readonly depth: number;
  readonly children: number;
  readonly wait?: {
    readonly kind: "queue" | "backoff";
    readonly startTime: EpochMs;
    readonly durationMs: number;
  };
  readonly attempt?: number;
  readonly unattached?: "parent is not kept" | "its parents go in a circle";
  readonly critical: boolean;
};

/** Keys that begin alike. */
export type StateBranch = {
  /** Up to and with a separator; of a key that stands alone all of it. */
  readonly prefix: string;
  readonly keys: number;
  /** The only key, where there is one. */
  readonly key?: string;
};

/** One of `GET /state/groups/:group/keys/:key/history`'s items, the newest first. The engine keeps the last 20 writes of a key, 20,000 writes or 32 MiB in all, until it ends; in production it notes none before the first question for a history but what `DELETE` removed. */
export type StateChange = {
  /** For `POST …/restore {change}`. */
  readonly id: number;
  readonly at: IsoTime;
  readonly group: string;
  readonly key: string;
  /** Absent: there was none. */
  readonly before?: {
    readonly value: JsonValue;
    readonly revision: number;
  };
  /** Absent: deleted. */
  readonly after?: {
    readonly value: JsonValue;
    readonly revision: number;
  };
  /** The Step that wrote it; absent for the API and modules. */
  readonly step?: string;
  readonly traceId?: string;
};

/** What `DELETE` of a key answers. */
export type StateDeleted = {
  readonly deleted: true;
  /** For `POST …/restore {change}`, while the history has it. */
  readonly change?: number;
};

/** `GET /state/groups/:group/keys/:key/expiry` */
export type StateExpiry = {
  /** False: the store cannot tell. */
  readonly known: boolean;
  /** Absent: it stays. */
  readonly expiresAt?: IsoTime;
};

/** Body of `PUT …/expiry`: only over that revision, else 409 `conflict`. It is a write of the same value. */
export type StateExpiryWrite = {
  /** From now on; null: it stays. */
  readonly ttlMs: number | null;
  /** Here or in the header `If-Match`. */
  readonly revision?: number;
};

/** `GET /state/groups/:group/search?q=`: keys whose name or value fits, in the order of their names. */
export type StateFound = {
  readonly items: readonly StateItem[];
  /** Pass it on for the next page; absent on the last one. */
  readonly cursor?: string;
  /** Keys that this answer looked at, at most 20,000; with a `cursor` there are more behind them. */
  readonly examined: number;
};

/** `GET /state/groups`: names. */
export type StateGroups = PageOfstring;

/** `GET …/history` */
export type StateHistory = {
  readonly items: readonly StateChange[];
  /** Since when writes are noted. */
  readonly since: IsoTime;
};

/** One of `GET /state/groups/:group/keys`' items, and the answer for one key, with `ETag: "<revision>"`. */
export type StateItem = {
  readonly key: string;
  readonly value: JsonValue;
  readonly revision: number;
};

/** Body of `POST …/restore`. */
export type StateRestore = {
  /** Id of the write before which the value is meant. */
  readonly change: number;
  /** Only over this one; absent: over what is there. */
  readonly revision?: number;
};

/** `GET /state/groups/:group/tree?prefix=`: what keys go on with, in the order of their names. */
export type StateTree = {
  readonly items: readonly StateBranch[];
  /** Pass it on for the next page; absent on the last one. */
  readonly cursor?: string;
  /** Keys that this answer looked at, at most 20,000; with a `cursor` there are more behind them, of the last branch, too. */
  readonly examined: number;
};

/** Body of `PUT`. With `revision`, or the header `If-Match: "<revision>"`, only over that one: else 409 `conflict`. 0: only when there is none. */
export type StateWrite = {
  readonly value: JsonValue;
  /** Not with a revision. */
  readonly ttlMs?: number;
  readonly revision?: number;
};

export type StepActivity = {
  readonly step: string;
  readonly runs: {
    readonly count: number;
    readonly errors: number;
    readonly p50Ms: number;
    readonly p95Ms: number;
    readonly lastAt: EpochMs;
  };
  /** How its runs failed, that which failed last first; the latest 20 kinds. */
  readonly errors: readonly ErrorKind[];
  /** Messages by their topic. */
  readonly enqueued: { readonly [name: string]: number };
  readonly consumed: { readonly [name: string]: number };
  /** Reads and writes by group, and by stream. */
  readonly stateGroups: { readonly [name: string]: number };
  /** Writes alone, by group. */
  readonly stateWrites: { readonly [name: string]: number };
  readonly streams: { readonly [name: string]: number };
};

export type StepFailure = {
  readonly traceId: string;
  /** The span of the handler. */
  readonly spanId: string;
  readonly startTime: EpochMs;
  readonly durationMs: number;
  readonly error: {
    readonly type: string;
    readonly message: string;
    readonly stack?: string;
  };
};

/** `GET /traces/failures?step=&limit=`: runs of a Step that failed, the latest first, as far as their spans are kept. */
export type StepFailures = {
  readonly items: readonly StepFailure[];
  /** Why some may not be there. */
  readonly note?: string;
};

export type StepNode = {
  readonly kind: "step";
  /** `step:<name>` */
  readonly id: string;
  readonly step: string;
  readonly title: string;
  readonly file: string;
  readonly line?: number;
  readonly language: "typescript" | "javascript" | "python";
  readonly flows: readonly string[];
  readonly triggers: readonly {
    readonly type: string;
    readonly label: string;
  }[];
  /** Of its runs among the kept spans; absent without spans. */
  readonly runs?: NodeRuns;
  readonly diagnostics: readonly Diagnostic[];
  /** Processes that serve it now. */
  readonly workers: number;
};

/** One of `GET /steps`' items. */
export type StepRecord = {
  readonly id: string;
  readonly config: {
    readonly name: string;
    readonly description?: string;
    readonly triggers: readonly TriggerRecord[];
    readonly enqueues?: readonly string[];
    readonly flows?: readonly string[];
    readonly virtualEnqueues?: readonly string[];
    readonly virtualSubscribes?: readonly string[];
  };
  /** Relative to the application's root. */
  readonly file: string;
  readonly line?: number;
  readonly language: "typescript" | "javascript" | "python";
  /** Changes whenever the config changes. */
  readonly configHash: string;
  /** By the index of a trigger: files of middleware that hold for its route, the outermost first; absent: none for any. */
  readonly middleware?: readonly (readonly string[])[];
  /** Application that it belongs to; absent: that of the engine. */
  readonly application?: string;
};

/** `GET /steps/:id/source?around=&lines=` */
export type StepSource = {
  readonly step: string;
  readonly file: string;
  /** Number of the first line in `text`, from 1. */
  readonly from: number;
  /** Lines of the file. */
  readonly total: number;
  /** Line of the Step's config, or the one that was asked for. */
  readonly line: number;
  readonly text: string;
  readonly language: "typescript" | "javascript" | "python";
};

/** `GET /steps` */
export type StepsAnswer = {
  readonly items: readonly StepRecord[];
  readonly diagnostics: readonly Diagnostic[];
  readonly sessions: readonly WorkerSession[];
  readonly workers: readonly RuntimeWorker[];
  readonly crashes: readonly WorkerCrash[];
};

/** What `POST /modules/<adapter>/backup` answers. */
export type StoreCopy = {
  readonly file: string;
  readonly bytes: number;
};

/** `GET /modules/<adapter>/store`: where the store of an adapter is and how it writes. */
export type StoreInfo = {
  /** Absolute; `:memory:` when it is in memory. */
  readonly file: string;
  readonly driver: string;
  readonly durability: string;
};

/** A group of state or a stream that Steps touched: `state:<group>`, `stream:<name>`. */
export type StoreNode = {
  readonly kind: "state" | "stream";
  readonly id: string;
  readonly title: string;
};

export type StreamConnection = {
  readonly id: string;
  readonly address: string;
  readonly since: IsoTime;
  /** Somebody said who this is. */
  readonly authenticated: boolean;
  /** Bytes that wait for it. */
  readonly waitingBytes: number;
  readonly subscriptions: readonly {
    readonly stream: string;
    readonly group: string;
    readonly id?: string;
  }[];
};

/** `GET /streams/connections?limit=`: clients, the latest first. */
export type StreamConnections = {
  readonly items: readonly StreamConnection[];
  /** All of them; `items` has at most 1,000. */
  readonly count: number;
};

/** Event of `GET /streams/watch` and of the live topic `stream`. */
export type StreamEvent = {
  readonly streamName: string;
  readonly groupId: string;
  readonly epoch: string;
  readonly seq: number;
  readonly id?: string;
  readonly event: {
    readonly type: "create" | "update" | "delete";
    readonly data: JsonValue;
  } | {
    readonly type: "event";
    readonly event: {
      readonly type: string;
      readonly data: JsonValue;
    };
  };
  readonly timestamp: number;
};

/** `GET /streams/:stream/groups/:group?q=` */
export type StreamGroupPage = {
  readonly items: readonly StreamItem[];
  /** Pass it on for the next page; absent on the last one. */
  readonly cursor?: string;
  /** With `q`: items that this answer looked at, at most 20,000; with a `cursor` there are more behind them. */
  readonly examined?: number;
  readonly epoch: string;
  readonly seq: number;
};

/** One of `GET /streams`' items. */
export type StreamInfo = {
  readonly name: string;
  readonly declaredIn: string;
  readonly subscriptions: number;
};

export type StreamItem = {
  readonly id: string;
  readonly value: JsonValue;
  readonly revision: number;
};

/** Body of `PUT` of an item. With `revision`, or the header `If-Match: "<revision>"`, only over that one: else 409 `conflict`. 0: only when there is none. */
export type StreamWrite = {
  readonly value: JsonValue;
  readonly revision?: number;
};

/** Body of `POST /queues/pause` and `/resume`. */
export type SubscriptionChoice = {
  readonly step: string;
  /** Absent: all of the Step; `""`: changes of state and streams. */
  readonly topic?: string;
};

/** What `POST /queues/pause` and `/resume` answer. */
export type SubscriptionsSteered = {
  readonly step: string;
  readonly topics: readonly string[];
  readonly paused: boolean;
};

/** How much is kept, and how much was evicted. */
export type TelemetryUse = {
  /** Why not all is recorded. */
  readonly notes: {
    readonly traces?: string;
    readonly logs?: string;
  };
  readonly spans: {
    readonly kept: number;
    readonly max: number;
    readonly bytes: number;
    readonly maxBytes: number;
    readonly evicted: number;
    readonly oldest?: EpochMs;
  };
  readonly logs: {
    readonly kept: number;
    readonly max: number;
    readonly bytes: number;
    readonly maxBytes: number;
    readonly oldest?: EpochMs;
    readonly evicted: {
      readonly count: number;
      readonly bytes: number;
      readonly age: number;
    };
  };
  readonly metrics: {
    readonly kept: number;
    readonly max: number;
    readonly evicted: number;
  };
};

/** Characters of a text; `to` is excluded. */
export type TextSpan = {
  readonly from: number;
  readonly to: number;
};

/** A time in the body of a search: ISO 8601, or milliseconds since the epoch. */
export type TimeArgument = string | number;

/** `topic:<name>` */
export type TopicNode = {
  readonly kind: "topic";
  readonly id: string;
  readonly title: string;
};

/** `GET /traces/:id/capture`: a trace with all that is kept of it, as one file that any console opens. Nothing in it is newer than `takenAt`. */
export type TraceCapture = {
  readonly format: "treadle-trace-capture";
  /** Rises when an older page could not read the file. */
  readonly version: 1;
  readonly takenAt: IsoTime;
  readonly engine: {
    readonly application: string;
    readonly version: string;
    readonly mode: "development" | "production";
  };
  readonly trace: TraceView;
  /** Its log records, the oldest first; the first 5,000. */
  readonly logs: LogPage;
  readonly inputs: CapturedInputs;
  /** The Steps of the trace as they were when it was taken. */
  readonly steps: readonly CapturedStep[];
  /** The part of the flow that it passed. */
  readonly flow: {
    readonly nodes: readonly FlowNode[];
    readonly edges: readonly FlowEdge[];
  };
};

/** `GET /traces/compare?a=&b=` */
export type TraceComparison = {
  readonly a: TraceSummary;
  readonly b: TraceSummary;
  readonly matched: number;
  readonly onlyInA: number;
  readonly onlyInB: number;
  readonly divergence?: {
    readonly reason: "only in a" | "only in b" | "error" | "status" | "state";
    readonly row: ComparedRow;
  };
  readonly rows: readonly ComparedRow[];
  readonly omitted: number;
};

/** Body of `POST /traces/compare`: two traces, or what is at and below one span of each. */
export type TraceComparisonRequest = {
  readonly a: string;
  readonly b: string;
  /** With `bSpan`. */
  readonly aSpan?: string;
  readonly bSpan?: string;
  /** 1 to 20,000 rows; default 5,000. */
  readonly limit?: number;
};

/** Event of `GET /traces/follow` and of the live topic `traces`: spans of a trace have ended. The summary is as of now. `dropped`: so many changed traces came too fast to be sent. */
export type TraceEvent = TraceSummary | {
  readonly dropped: number;
};

/** Traces that have one value of a field. */
export type TraceGroup = {
  /** Of errors with `<n>` and `<id>` for what differs from one to the next. What is longer than 200 characters ends there with `…`. */
  readonly value: string;
  readonly count: number;
  /** Traces in which something failed. */
  readonly failed: number;
  /** Milliseconds until the last effect. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly longestMs: number;
  /** Start of the latest. */
  readonly lastAt: EpochMs;
  /** Id of the latest. */
  readonly latest: string;
};

/** `GET /traces/groups?by=`: the most frequent first. A trace with several values, such as two Steps, is in the group of each. */
export type TraceGroups = {
  readonly items: readonly TraceGroup[];
  /** How many traces match. */
  readonly total: number;
  /** Those of them that lack the field. */
  readonly without: number;
  /** Groups that are not among the items; at most so many where there are more than 5,000 values. */
  readonly omitted: number;
  /** Why something may not be there. */
  readonly note?: string;
};

export type TracePage = {
  readonly items: readonly TraceSummary[];
  /** Pass it on for the next page; absent on the last one. */
  readonly cursor?: string;
  /** Fields of `q` that nothing that is kept has. */
  readonly unknownFields?: readonly UnknownField[];
  /** How many match, on this page or not. */
  readonly total: number;
  /** `since` of `GET /traces/follow` for what ends from this answer on. */
  readonly end: number;
  /** Why something may not be there. */
  readonly note?: string;
};

/** Body of `POST /traces/search`. */
export type TraceSearch = {
  readonly q?: string;
  readonly step?: string;
  readonly route?: string;
  readonly status?: "ok" | "error";
  readonly text?: string;
  readonly minDurationMs?: number;
  readonly maxDurationMs?: number;
  readonly from?: TimeArgument;
  readonly to?: TimeArgument;
  /** Of any of its spans. */
  readonly attributes?: MapArgument;
  /** 1 to 500; default 50. */
  readonly limit?: number;
  readonly cursor?: string;
};

/** One of `GET /traces`' items. */
export type TraceSummary = {
  readonly traceId: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly route?: string;
  /** e.g. `http`, `cron`. */
  readonly trigger?: string;
  readonly startTime: EpochMs;
  /** Until its last effect. */
  readonly durationMs: number;
  /** Until the answer. */
  readonly replyMs: number;
  readonly spans: number;
  readonly steps: readonly string[];
  readonly errors: number;
  readonly retries: number;
  readonly partial: boolean;
};

/** `GET /traces/:id` */
export type TraceView = {
  readonly traceId: string;
  /** Depth first. */
  readonly rows: readonly SpanRow[];
  readonly omitted: number;
  readonly path: CriticalPath;
};

/** A trigger as the engine knows it: schemas are JSON Schema. */
export type TriggerRecord = {
  readonly type: string;
} & { readonly [name: string]: PlainJson };

/** A field of a query that nothing that is kept has. */
export type UnknownField = {
  readonly from: number;
  readonly to: number;
  readonly field: string;
};

export type ViewAction = {
  readonly id: string;
  readonly label: string;
  readonly method: "POST" | "PUT" | "DELETE";
  /** A route of the module; `{field}` stands for that field of the row, e.g. `/outbox/{id}/resend`. */
  readonly route: string;
  /** Asks before it is done. */
  readonly confirm?: boolean;
};

/** A value of an answer or a row, by the path of its field, e.g. `customer.name`. */
export type ViewField = {
  readonly field: string;
  /** Default: the field. */
  readonly title?: string;
  /** How it is shown; by default as it is. */
  readonly as?: ViewFormat;
};

/** `time`: ISO 8601 or milliseconds since the epoch; `duration`: milliseconds; `trace`, `step`, `topic`: links to those views. */
export type ViewFormat = "text" | "number" | "bytes" | "duration" | "time" | "status" | "json" | "trace" | "step" | "topic";

export type ViewTable = {
  /** Field of the answer that holds the rows; default `items`. Further rows are asked for with `cursor`, as the answer gives it. */
  readonly items?: string;
  /** Field that tells rows apart. */
  readonly key: string;
  readonly columns: readonly ViewField[];
};

export type WorkerCrash = {
  readonly runtime: string;
  readonly worker: number;
  readonly pid?: number;
  readonly reason: string;
  readonly output: string;
  readonly crashLooping: boolean;
  readonly restartMs: number;
};

/** A connected Step process. */
export type WorkerSession = {
  readonly id: string;
  readonly runtime: string;
  readonly version: string;
  readonly pid?: number;
  readonly origin: "child" | "remote" | "in-process";
  readonly application?: string;
  readonly build?: string;
  readonly steps: readonly string[];
  readonly running: number;
};

/** `GET /workers`: processes with what the system says of them. */
export type WorkersAnswer = {
  readonly sessions: readonly {
    readonly memoryBytes?: number;
    readonly cpuSeconds?: number;
    readonly id: string;
    readonly runtime: string;
    readonly version: string;
    readonly pid?: number;
    readonly origin: "child" | "remote" | "in-process";
    readonly application?: string;
    readonly build?: string;
    readonly steps: readonly string[];
    readonly running: number;
  }[];
  readonly workers: readonly RuntimeWorker[];
  readonly crashes: readonly WorkerCrash[];
};
