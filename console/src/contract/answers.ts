import type { Activity, StepFailures } from './activity.js';
import type { TraceCapture } from './capture.js';
import type { Deleted, Items, Page, Problem, Role } from './common.js';
import type { ConfigAnswer } from './config.js';
import type { CronCalendar, CronChoice, CronExpressionTest, CronPause, CronRun, CronSkip, CronStarted, CronTrigger } from './cron.js';
import type { Finding, FlowGraph, RecordedInput, ReplayStarted, StepSource, StepsAnswer, WorkersAnswer } from './flows.js';
import type { Job, JobRequest, JobSummary, Selection, SelectionRequest } from './jobs.js';
import type { ClientMessage, LiveFrame, NamedTopic } from './live.js';
import type { LogContext, LogEvent, LogFacets, LogFilter, LogHistogram, LogHistogramRequest, LogPage, LogPattern, LogSearch } from './logs.js';
import type { ApiIndex, AuditEntry, GoTarget, Meta, OpenApiDocument, Overview, SessionLink, TelemetryUse } from './meta.js';
import type { MetricLines, MetricSeries, MetricsNow } from './metrics.js';
import type { BackupReport, BackupRequest, EngineOverview, ModuleInfo, StoreCopy, StoreInfo } from './modules.js';
import type { PluginView } from './plugin-views.js';
import type {
  DeadLetter, DeadLetterGroups, DeadLetterIds, DeadLetterPage, Discarded, LetterChoice, MessagesFound, Published, PublishRequest, Purged, PurgeRequest, QueueMessage, QueueRates, QueuesAnswer, Redriven, RedriveRequest,
  SubscriptionChoice, SubscriptionsSteered,
} from './queues.js';
import type { RunRecord, RunRequest } from './run.js';
import type { StateChange, StateDeleted, StateExpiry, StateExpiryWrite, StateFound, StateGroups, StateHistory, StateItem, StateRestore, StateTree, StateWrite } from './state.js';
import type { JoinEvent, StreamConnections, StreamEvent, StreamGroupPage, StreamInfo, StreamItem, StreamWrite } from './streams.js';
import type { CriticalPath, DoneMessages, OtlpTraces, SpanPage, TraceComparison, TraceComparisonRequest, TraceEvent, TraceGroups, TracePage, TraceSearch, TraceView } from './traces.js';

/** What routes answer with 200, by method and path below `/api/v1`; `:adapter` stands for any that keeps a store; null: 204. The schemas of the OpenAPI document are made from this. */
export interface Answers {
  readonly 'GET ': ApiIndex;
  readonly 'GET /audit': Page<AuditEntry>;
  readonly 'POST /backup': BackupReport;
  readonly 'GET /config': ConfigAnswer;
  readonly 'GET /cron': Items<CronTrigger>;
  readonly 'GET /cron/calendar': CronCalendar;
  readonly 'GET /cron/expression': CronExpressionTest;
  readonly 'POST /cron/pause': Items<CronTrigger>;
  readonly 'POST /cron/resume': Items<CronTrigger>;
  readonly 'POST /cron/run': CronStarted;
  readonly 'GET /cron/runs': Items<CronRun>;
  readonly 'POST /cron/skip': CronTrigger;
  readonly 'GET /engine': EngineOverview;
  readonly 'GET /findings': Items<Finding>;
  readonly 'GET /flows': FlowGraph;
  readonly 'GET /go/:id': GoTarget;
  readonly 'GET /history': Page<RunRecord>;
  readonly 'GET /history/:id': RunRecord;
  readonly 'GET /jobs': Items<JobSummary>;
  readonly 'POST /jobs': Job;
  readonly 'GET /jobs/:id': Job;
  readonly 'POST /jobs/:id/cancel': Job;
  readonly 'POST /jobs/:id/pause': Job;
  readonly 'POST /jobs/:id/resume': Job;
  readonly 'GET /logs': LogPage;
  readonly 'POST /logs/search': LogPage;
  readonly 'GET /logs/context': LogContext;
  readonly 'GET /logs/facets': LogFacets;
  readonly 'POST /logs/facets': LogFacets;
  readonly 'GET /logs/histogram': LogHistogram;
  readonly 'POST /logs/histogram': LogHistogram;
  readonly 'GET /logs/patterns': Items<LogPattern>;
  readonly 'GET /meta': Meta;
  readonly 'GET /metrics/lines': MetricLines;
  readonly 'GET /metrics/now': MetricsNow;
  readonly 'GET /metrics/series': MetricSeries;
  readonly 'GET /modules': Items<ModuleInfo>;
  readonly 'GET /modules/:adapter/store': StoreInfo;
  readonly 'POST /modules/:adapter/backup': StoreCopy;
  readonly 'GET /modules/modules::observability::OtelModule/telemetry': TelemetryUse;
  readonly 'GET /openapi.json': OpenApiDocument;
  readonly 'GET /overview': Overview;
  readonly 'GET /plugin-views': Items<PluginView>;
  readonly 'GET /queues': QueuesAnswer;
  readonly 'GET /queues/dead-letters': DeadLetterPage;
  readonly 'GET /queues/dead-letters/:id': DeadLetter;
  readonly 'GET /queues/dead-letters/groups': DeadLetterGroups;
  readonly 'GET /queues/dead-letters/ids': DeadLetterIds;
  readonly 'POST /queues/dead-letters/discard': Discarded;
  readonly 'POST /queues/dead-letters/redrive': Redriven;
  readonly 'GET /queues/messages': Items<QueueMessage>;
  readonly 'POST /queues/messages': Published;
  readonly 'POST /queues/pause': SubscriptionsSteered;
  readonly 'POST /queues/purge': Purged;
  readonly 'GET /queues/rates': QueueRates;
  readonly 'POST /queues/resume': SubscriptionsSteered;
  readonly 'GET /queues/search': MessagesFound;
  readonly 'POST /run': RunRecord;
  readonly 'POST /selections': Selection;
  readonly 'POST /session/end': null;
  readonly 'POST /session/link': SessionLink;
  readonly 'GET /state/groups': StateGroups;
  readonly 'GET /state/groups/:group/keys': Page<StateItem>;
  readonly 'GET /state/groups/:group/keys/:key': StateItem;
  readonly 'PUT /state/groups/:group/keys/:key': StateItem;
  readonly 'DELETE /state/groups/:group/keys/:key': StateDeleted;
  readonly 'GET /state/groups/:group/keys/:key/expiry': StateExpiry;
  readonly 'PUT /state/groups/:group/keys/:key/expiry': StateItem;
  readonly 'GET /state/groups/:group/keys/:key/history': StateHistory;
  readonly 'POST /state/groups/:group/keys/:key/restore': StateItem | Deleted;
  readonly 'GET /state/groups/:group/search': StateFound;
  readonly 'GET /state/groups/:group/tree': StateTree;
  readonly 'GET /steps': StepsAnswer;
  readonly 'GET /steps/:id/source': StepSource;
  readonly 'GET /steps/inputs/:span': RecordedInput;
  readonly 'POST /steps/replay': ReplayStarted;
  readonly 'GET /streams': Items<StreamInfo>;
  readonly 'GET /streams/:stream/groups': Page<string>;
  readonly 'GET /streams/:stream/groups/:group': StreamGroupPage;
  readonly 'GET /streams/:stream/groups/:group/items/:id': StreamItem;
  readonly 'PUT /streams/:stream/groups/:group/items/:id': StreamItem;
  readonly 'DELETE /streams/:stream/groups/:group/items/:id': Deleted;
  readonly 'DELETE /streams/connections/:id': Deleted;
  readonly 'GET /streams/connections': StreamConnections;
  readonly 'GET /traces': TracePage;
  readonly 'POST /traces/search': TracePage;
  readonly 'GET /traces/:id': TraceView;
  readonly 'GET /traces/:id/capture': TraceCapture;
  readonly 'GET /traces/:id/otlp': OtlpTraces;
  readonly 'GET /traces/:id/path': CriticalPath;
  readonly 'GET /traces/:id/spans': SpanPage;
  readonly 'GET /traces/activity': Activity;
  readonly 'GET /traces/failures': StepFailures;
  readonly 'GET /traces/compare': TraceComparison;
  readonly 'GET /traces/messages': DoneMessages;
  readonly 'GET /traces/groups': TraceGroups;
  readonly 'POST /traces/compare': TraceComparison;
  readonly 'GET /workers': WorkersAnswer;
}

/** What routes take as their body. */
export interface Bodies {
  readonly 'POST /backup': BackupRequest;
  readonly 'POST /cron/pause': CronPause;
  readonly 'POST /cron/resume': CronChoice;
  readonly 'POST /cron/run': CronChoice;
  readonly 'POST /cron/skip': CronSkip;
  readonly 'POST /jobs': JobRequest;
  readonly 'POST /logs/facets': LogFilter;
  readonly 'POST /logs/histogram': LogHistogramRequest;
  readonly 'POST /logs/search': LogSearch;
  readonly 'POST /modules/:adapter/backup': BackupRequest;
  readonly 'POST /queues/dead-letters/discard': LetterChoice;
  readonly 'POST /queues/dead-letters/redrive': RedriveRequest;
  readonly 'POST /queues/messages': PublishRequest;
  readonly 'POST /queues/pause': SubscriptionChoice;
  readonly 'POST /queues/purge': PurgeRequest;
  readonly 'POST /queues/resume': SubscriptionChoice;
  readonly 'POST /run': RunRequest;
  readonly 'POST /selections': SelectionRequest;
  readonly 'POST /session/link': { readonly role?: Role; readonly payloads?: boolean };
  readonly 'PUT /state/groups/:group/keys/:key': StateWrite;
  readonly 'PUT /state/groups/:group/keys/:key/expiry': StateExpiryWrite;
  readonly 'POST /state/groups/:group/keys/:key/restore': StateRestore;
  readonly 'POST /steps/replay': { readonly span: string; readonly input?: string };
  readonly 'PUT /streams/:stream/groups/:group/items/:id': StreamWrite;
  readonly 'POST /traces/compare': TraceComparisonRequest;
  readonly 'POST /traces/search': TraceSearch;
}

/** Media types of answers that are no JSON, beside those of server-sent events. */
export interface TextAnswers {
  readonly 'GET /logs/export': 'application/x-ndjson' | 'text/csv' | 'text/plain';
  readonly 'GET /metrics': 'text/plain';
}

/** What event routes send, by their path; `/join` is the live topic of that name. */
export interface Events {
  readonly 'GET /logs/follow': LogEvent;
  readonly 'GET /traces/follow': TraceEvent;
  readonly 'GET /state/follow': StateChange;
  readonly 'GET /streams/watch': StreamEvent;
  readonly 'GET /join': JoinEvent;
}

/** What goes over `WS /live`. */
export interface LiveMessages {
  readonly topic: NamedTopic;
  readonly client: ClientMessage;
  readonly server: readonly LiveFrame[];
}

/** Everything that the OpenAPI document has a type of. */
export interface Described {
  readonly answers: Answers;
  readonly bodies: Bodies;
  readonly texts: TextAnswers;
  readonly live: LiveMessages;
  readonly events: Events;
  readonly problem: Problem;
}
