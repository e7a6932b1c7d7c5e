// Written by scripts/write-operations.mjs from the OpenAPI document of an engine with all modules.
/* eslint-disable max-lines */
import type {
  Activity,
  ApiIndex,
  BackupReport,
  BackupRequest,
  ConfigAnswer,
  CriticalPath,
  CronCalendar,
  CronChoice,
  CronExpressionTest,
  CronPause,
  CronSkip,
  CronStarted,
  CronTrigger,
  DeadLetter,
  DeadLetterGroups,
  DeadLetterIds,
  DeadLetterPage,
  Deleted,
  Discarded,
  DoneMessages,
  EngineOverview,
  FlowGraph,
  GoTarget,
  ItemsOfCronRun,
  ItemsOfCronTrigger,
  ItemsOfFinding,
  ItemsOfJobSummary,
  ItemsOfLogPattern,
  ItemsOfModuleInfo,
  ItemsOfPluginView,
  ItemsOfQueueMessage,
  ItemsOfStreamInfo,
  Job,
  JobRequest,
  LetterChoice,
  LogContext,
  LogFacets,
  LogFilter,
  LogHistogram,
  LogHistogramRequest,
  LogPage,
  LogSearch,
  MessagesFound,
  Meta,
  MetricLines,
  MetricSeries,
  MetricsNow,
  OpenApiDocument,
  OtlpTraces,
  Overview,
  PageOfAuditEntry,
  PageOfRunRecord,
  PageOfStateItem,
  PageOfstring,
  PublishRequest,
  Published,
  PurgeRequest,
  Purged,
  QueueRates,
  QueuesAnswer,
  RecordedInput,
  RedriveRequest,
  Redriven,
  ReplayStarted,
  Role,
  RunRecord,
  RunRequest,
  Selection,
  SelectionRequest,
  SessionLink,
  SpanPage,
  StateDeleted,
  StateExpiry,
  StateExpiryWrite,
  StateFound,
  StateGroups,
  StateHistory,
  StateItem,
  StateRestore,
  StateTree,
  StateWrite,
  StepFailures,
  StepSource,
  StepsAnswer,
  StoreCopy,
  StoreInfo,
  StreamConnections,
  StreamGroupPage,
  StreamItem,
  StreamWrite,
  SubscriptionChoice,
  SubscriptionsSteered,
  TelemetryUse,
  TraceCapture,
  TraceComparison,
  TraceComparisonRequest,
  TraceGroups,
  TracePage,
  TraceSearch,
  TraceView,
  WorkersAnswer,
} from './types.generated.js';

/** Every operation of the admin API: names of the parameters of its path and its query, its body and its answer; `unknown` where the document has no type. */
export interface Operations {
  /** Deletes a key */
  readonly 'DELETE /state/groups/{group}/keys/{key}': { readonly path: 'group' | 'key'; readonly query: never; readonly body: undefined; readonly answer: StateDeleted };
  /** Closes the connection of a client */
  readonly 'DELETE /streams/connections/{id}': { readonly path: 'id'; readonly query: never; readonly body: undefined; readonly answer: Deleted };
  /** Removes an item and tells its group */
  readonly 'DELETE /streams/{stream}/groups/{group}/items/{id}': { readonly path: 'stream' | 'group' | 'id'; readonly query: never; readonly body: undefined; readonly answer: Deleted };
  /** All routes of this engine */
  readonly 'GET /': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: ApiIndex };
  /** Who changed what, the latest first */
  readonly 'GET /audit': { readonly path: never; readonly query: 'limit' | 'cursor'; readonly body: undefined; readonly answer: PageOfAuditEntry };
  /** The configuration value by value, and where each comes from */
  readonly 'GET /config': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: ConfigAnswer };
  /** Cron triggers with their next and last run */
  readonly 'GET /cron': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: ItemsOfCronTrigger };
  /** Ticks to come of all triggers, in the order of time */
  readonly 'GET /cron/calendar': { readonly path: never; readonly query: 'from' | 'to' | 'limit'; readonly body: undefined; readonly answer: CronCalendar };
  /** The ticks to come of any expression */
  readonly 'GET /cron/expression': { readonly path: never; readonly query: 'expression' | 'timezone' | 'count' | 'from'; readonly body: undefined; readonly answer: CronExpressionTest };
  /** Runs, the latest first; of all triggers, or those of a Step */
  readonly 'GET /cron/runs': { readonly path: never; readonly query: 'step' | 'trigger' | 'limit'; readonly body: undefined; readonly answer: ItemsOfCronRun };
  /** Version, folders, addresses and health */
  readonly 'GET /engine': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: EngineOverview };
  /** What is not as it should be, the worst first */
  readonly 'GET /findings': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: ItemsOfFinding };
  /** Steps, topics and stores, and what leads where: declared and observed */
  readonly 'GET /flows': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: FlowGraph };
  /** What an id or a name means, and where the page shows it */
  readonly 'GET /go/{id}': { readonly path: 'id'; readonly query: never; readonly body: undefined; readonly answer: GoTarget };
  /** What was run through the console, the latest first */
  readonly 'GET /history': { readonly path: never; readonly query: 'kind' | 'target' | 'limit' | 'cursor'; readonly body: undefined; readonly answer: PageOfRunRecord };
  /** One of them */
  readonly 'GET /history/{id}': { readonly path: 'id'; readonly query: never; readonly body: undefined; readonly answer: RunRecord };
  /** Jobs, the latest first */
  readonly 'GET /jobs': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: ItemsOfJobSummary };
  /** How far a job is */
  readonly 'GET /jobs/{id}': { readonly path: 'id'; readonly query: never; readonly body: undefined; readonly answer: Job };
  /** Log records, the latest first */
  readonly 'GET /logs': { readonly path: never; readonly query: 'q' | 'level' | 'step' | 'traceId' | 'spanId' | 'text' | 'from' | 'to' | 'fields' | 'limit' | 'order' | 'cursor'; readonly body: undefined; readonly answer: LogPage };
  /** Records around one, the oldest first */
  readonly 'GET /logs/context': { readonly path: never; readonly query: 'id' | 'before' | 'after' | 'scope'; readonly body: undefined; readonly answer: LogContext };
  /** All records as JSON lines, CSV or text */
  readonly 'GET /logs/export': { readonly path: never; readonly query: 'q' | 'level' | 'step' | 'traceId' | 'spanId' | 'text' | 'from' | 'to' | 'fields' | 'format'; readonly body: undefined; readonly answer: unknown };
  /** Values of fields with their counts */
  readonly 'GET /logs/facets': { readonly path: never; readonly query: 'q' | 'level' | 'step' | 'traceId' | 'spanId' | 'text' | 'from' | 'to' | 'fields'; readonly body: undefined; readonly answer: LogFacets };
  /** Records as they come; first the latest `tail` that there are, or those after the record `since` */
  readonly 'GET /logs/follow': { readonly path: never; readonly query: 'q' | 'level' | 'step' | 'traceId' | 'spanId' | 'text' | 'from' | 'to' | 'fields' | 'tail' | 'since'; readonly body: undefined; readonly answer: unknown };
  /** Counts over time */
  readonly 'GET /logs/histogram': { readonly path: never; readonly query: 'q' | 'level' | 'step' | 'traceId' | 'spanId' | 'text' | 'from' | 'to' | 'fields' | 'buckets'; readonly body: undefined; readonly answer: LogHistogram };
  /** Records alike but for numbers and ids, the most frequent first */
  readonly 'GET /logs/patterns': { readonly path: never; readonly query: 'q' | 'level' | 'step' | 'traceId' | 'spanId' | 'text' | 'from' | 'to' | 'fields' | 'limit'; readonly body: undefined; readonly answer: ItemsOfLogPattern };
  /** What this engine is, who asks, and which parts of the API there are */
  readonly 'GET /meta': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: Meta };
  /** Metrics in Prometheus' text format */
  readonly 'GET /metrics': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: unknown };
  /** One metric over time, its series added up by labels */
  readonly 'GET /metrics/lines': { readonly path: never; readonly query: 'name' | 'by' | 'from' | 'to' | 'limit'; readonly body: undefined; readonly answer: MetricLines };
  /** Metrics as they are now */
  readonly 'GET /metrics/now': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: MetricsNow };
  /** One metric over time */
  readonly 'GET /metrics/series': { readonly path: never; readonly query: 'name' | 'labels' | 'from' | 'to'; readonly body: undefined; readonly answer: MetricSeries };
  /** Modules and adapters with their status and routes */
  readonly 'GET /modules': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: ItemsOfModuleInfo };
  /** The store: its file and how it writes */
  readonly 'GET /modules/modules::cron::adapters::Sqlite/store': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: StoreInfo };
  /** How much is kept, and how much was evicted */
  readonly 'GET /modules/modules::observability::OtelModule/telemetry': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: TelemetryUse };
  /** The store: its file and how it writes */
  readonly 'GET /modules/modules::queue::adapters::Sqlite/store': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: StoreInfo };
  /** The store: its file and how it writes */
  readonly 'GET /modules/modules::state::adapters::Sqlite/store': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: StoreInfo };
  /** The store: its file and how it writes */
  readonly 'GET /modules/modules::stream::adapters::Sqlite/store': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: StoreInfo };
  /** All routes as OpenAPI 3.1 */
  readonly 'GET /openapi.json': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: OpenApiDocument };
  /** How it goes, in a few numbers */
  readonly 'GET /overview': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: Overview };
  /** Views that plugins add to the page */
  readonly 'GET /plugin-views': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: ItemsOfPluginView };
  /** Subscriptions with what waits in them */
  readonly 'GET /queues': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: QueuesAnswer };
  /** Dead letters, the latest first */
  readonly 'GET /queues/dead-letters': { readonly path: never; readonly query: 'step' | 'topic' | 'reason' | 'fingerprint' | 'q' | 'limit' | 'cursor'; readonly body: undefined; readonly answer: DeadLetterPage };
  /** Dead letters by how they failed, the most frequent first */
  readonly 'GET /queues/dead-letters/groups': { readonly path: never; readonly query: 'step' | 'topic' | 'reason'; readonly body: undefined; readonly answer: DeadLetterGroups };
  /** Ids of dead letters, the latest first; at most 100,000 */
  readonly 'GET /queues/dead-letters/ids': { readonly path: never; readonly query: 'step' | 'topic' | 'reason' | 'fingerprint' | 'q'; readonly body: undefined; readonly answer: DeadLetterIds };
  /** One dead letter */
  readonly 'GET /queues/dead-letters/{id}': { readonly path: 'id'; readonly query: never; readonly body: undefined; readonly answer: DeadLetter };
  /** The next messages of a subscription */
  readonly 'GET /queues/messages': { readonly path: never; readonly query: 'step' | 'topic' | 'limit'; readonly body: undefined; readonly answer: ItemsOfQueueMessage };
  /** Messages a second that come and go, by subscription */
  readonly 'GET /queues/rates': { readonly path: never; readonly query: 'windowMs'; readonly body: undefined; readonly answer: QueueRates };
  /** Messages of a topic that wait, run or are to be tried again, by a query */
  readonly 'GET /queues/search': { readonly path: never; readonly query: 'topic' | 'step' | 'state' | 'q' | 'limit' | 'cursor'; readonly body: undefined; readonly answer: MessagesFound };
  /** Writes as they come */
  readonly 'GET /state/follow': { readonly path: never; readonly query: 'group' | 'key'; readonly body: undefined; readonly answer: unknown };
  /** Groups */
  readonly 'GET /state/groups': { readonly path: never; readonly query: 'prefix' | 'limit' | 'cursor'; readonly body: undefined; readonly answer: StateGroups };
  /** Keys of a group with their values */
  readonly 'GET /state/groups/{group}/keys': { readonly path: 'group'; readonly query: 'prefix' | 'limit' | 'cursor'; readonly body: undefined; readonly answer: PageOfStateItem };
  /** One value with its revision */
  readonly 'GET /state/groups/{group}/keys/{key}': { readonly path: 'group' | 'key'; readonly query: never; readonly body: undefined; readonly answer: StateItem };
  /** When a value expires */
  readonly 'GET /state/groups/{group}/keys/{key}/expiry': { readonly path: 'group' | 'key'; readonly query: never; readonly body: undefined; readonly answer: StateExpiry };
  /** The last writes of a key, the newest first */
  readonly 'GET /state/groups/{group}/keys/{key}/history': { readonly path: 'group' | 'key'; readonly query: never; readonly body: undefined; readonly answer: StateHistory };
  /** Keys whose name or value fits a query */
  readonly 'GET /state/groups/{group}/search': { readonly path: 'group'; readonly query: 'q' | 'prefix' | 'limit' | 'cursor'; readonly body: undefined; readonly answer: StateFound };
  /** Keys of a group by what they begin with */
  readonly 'GET /state/groups/{group}/tree': { readonly path: 'group'; readonly query: 'prefix' | 'separators' | 'limit' | 'cursor'; readonly body: undefined; readonly answer: StateTree };
  /** Steps, diagnostics, Step processes and crashes */
  readonly 'GET /steps': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: StepsAnswer };
  /** What a run of a handler was started with, by its span */
  readonly 'GET /steps/inputs/{span}': { readonly path: 'span'; readonly query: never; readonly body: undefined; readonly answer: RecordedInput };
  /** Lines of a Step's file */
  readonly 'GET /steps/{id}/source': { readonly path: 'id'; readonly query: 'around' | 'lines'; readonly body: undefined; readonly answer: StepSource };
  /** Declared streams with their subscriptions */
  readonly 'GET /streams': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: ItemsOfStreamInfo };
  /** Connected clients, the latest first, and what they follow */
  readonly 'GET /streams/connections': { readonly path: never; readonly query: 'limit'; readonly body: undefined; readonly answer: StreamConnections };
  /** What happens in streams, as it happens */
  readonly 'GET /streams/watch': { readonly path: never; readonly query: 'stream' | 'group' | 'q'; readonly body: undefined; readonly answer: unknown };
  /** Groups of a stream */
  readonly 'GET /streams/{stream}/groups': { readonly path: 'stream'; readonly query: 'prefix' | 'limit' | 'cursor'; readonly body: undefined; readonly answer: PageOfstring };
  /** Items of a group in the order of their ids, all or those that fit a query, and its position */
  readonly 'GET /streams/{stream}/groups/{group}': { readonly path: 'stream' | 'group'; readonly query: 'q' | 'limit' | 'cursor'; readonly body: undefined; readonly answer: StreamGroupPage };
  /** One item with its revision */
  readonly 'GET /streams/{stream}/groups/{group}/items/{id}': { readonly path: 'stream' | 'group' | 'id'; readonly query: never; readonly body: undefined; readonly answer: StreamItem };
  /** Traces, the latest first */
  readonly 'GET /traces': { readonly path: never; readonly query: 'q' | 'step' | 'route' | 'status' | 'text' | 'minDurationMs' | 'maxDurationMs' | 'from' | 'to' | 'attributes' | 'limit' | 'cursor'; readonly body: undefined; readonly answer: TracePage };
  /** What the kept spans show of each Step: runs, topics, state and streams */
  readonly 'GET /traces/activity': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: Activity };
  /** Two traces side by side */
  readonly 'GET /traces/compare': { readonly path: never; readonly query: 'a' | 'b' | 'aSpan' | 'bSpan' | 'limit'; readonly body: undefined; readonly answer: TraceComparison };
  /** Runs of a Step that failed, the latest first, as far as their spans are kept */
  readonly 'GET /traces/failures': { readonly path: never; readonly query: 'step' | 'limit'; readonly body: undefined; readonly answer: StepFailures };
  /** Traces whose spans end, as they are by then; with the `end` of a list those since it, too */
  readonly 'GET /traces/follow': { readonly path: never; readonly query: 'q' | 'limit' | 'since'; readonly body: undefined; readonly answer: unknown };
  /** Traces by the values of a field, the most frequent first */
  readonly 'GET /traces/groups': { readonly path: never; readonly query: 'q' | 'step' | 'route' | 'status' | 'text' | 'minDurationMs' | 'maxDurationMs' | 'from' | 'to' | 'attributes' | 'by' | 'limit'; readonly body: undefined; readonly answer: TraceGroups };
  /** Messages of a topic that were done, the latest first, as far as their spans are kept */
  readonly 'GET /traces/messages': { readonly path: never; readonly query: 'topic' | 'q' | 'limit' | 'cursor'; readonly body: undefined; readonly answer: DoneMessages };
  /** One trace as a tree */
  readonly 'GET /traces/{id}': { readonly path: 'id'; readonly query: 'limit'; readonly body: undefined; readonly answer: TraceView };
  /** A trace with its logs, inputs and Steps as one file */
  readonly 'GET /traces/{id}/capture': { readonly path: 'id'; readonly query: never; readonly body: undefined; readonly answer: TraceCapture };
  /** The spans of a trace as OTLP in JSON */
  readonly 'GET /traces/{id}/otlp': { readonly path: 'id'; readonly query: never; readonly body: undefined; readonly answer: OtlpTraces };
  /** The critical path of a trace, until its last effect or its reply */
  readonly 'GET /traces/{id}/path': { readonly path: 'id'; readonly query: 'until'; readonly body: undefined; readonly answer: CriticalPath };
  /** Children of a span */
  readonly 'GET /traces/{id}/spans': { readonly path: 'id'; readonly query: 'parent' | 'limit' | 'cursor'; readonly body: undefined; readonly answer: SpanPage };
  /** Step processes with the memory that they take */
  readonly 'GET /workers': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: WorkersAnswer };
  /** Copies the embedded stores */
  readonly 'POST /backup': { readonly path: never; readonly query: never; readonly body: BackupRequest; readonly answer: BackupReport };
  /** Lets no run begin, for good or until a time */
  readonly 'POST /cron/pause': { readonly path: never; readonly query: never; readonly body: CronPause; readonly answer: ItemsOfCronTrigger };
  /** Lets runs begin again */
  readonly 'POST /cron/resume': { readonly path: never; readonly query: never; readonly body: CronChoice; readonly answer: ItemsOfCronTrigger };
  /** Starts a run now */
  readonly 'POST /cron/run': { readonly path: never; readonly query: never; readonly body: CronChoice; readonly answer: CronStarted };
  /** Lets the next tick be skipped */
  readonly 'POST /cron/skip': { readonly path: never; readonly query: never; readonly body: CronSkip; readonly answer: CronTrigger };
  /** Begins an action over a selection */
  readonly 'POST /jobs': { readonly path: never; readonly query: never; readonly body: JobRequest; readonly answer: Job };
  /** Leaves the rest of a job as it is */
  readonly 'POST /jobs/{id}/cancel': { readonly path: 'id'; readonly query: never; readonly body: undefined; readonly answer: Job };
  /** Does nothing more of a job for now */
  readonly 'POST /jobs/{id}/pause': { readonly path: 'id'; readonly query: never; readonly body: undefined; readonly answer: Job };
  /** Goes on with a job */
  readonly 'POST /jobs/{id}/resume': { readonly path: 'id'; readonly query: never; readonly body: undefined; readonly answer: Job };
  /** Values of fields with their counts; the filter as body */
  readonly 'POST /logs/facets': { readonly path: never; readonly query: never; readonly body: LogFilter; readonly answer: LogFacets };
  /** Counts over time; the filter as body */
  readonly 'POST /logs/histogram': { readonly path: never; readonly query: never; readonly body: LogHistogramRequest; readonly answer: LogHistogram };
  /** The same, with the filter as body */
  readonly 'POST /logs/search': { readonly path: never; readonly query: never; readonly body: LogSearch; readonly answer: LogPage };
  /** Copies the store to a new file */
  readonly 'POST /modules/modules::cron::adapters::Sqlite/backup': { readonly path: never; readonly query: never; readonly body: BackupRequest; readonly answer: StoreCopy };
  /** Copies the store to a new file */
  readonly 'POST /modules/modules::queue::adapters::Sqlite/backup': { readonly path: never; readonly query: never; readonly body: BackupRequest; readonly answer: StoreCopy };
  /** Copies the store to a new file */
  readonly 'POST /modules/modules::state::adapters::Sqlite/backup': { readonly path: never; readonly query: never; readonly body: BackupRequest; readonly answer: StoreCopy };
  /** Copies the store to a new file */
  readonly 'POST /modules/modules::stream::adapters::Sqlite/backup': { readonly path: never; readonly query: never; readonly body: BackupRequest; readonly answer: StoreCopy };
  /** Removes dead letters */
  readonly 'POST /queues/dead-letters/discard': { readonly path: never; readonly query: never; readonly body: LetterChoice; readonly answer: Discarded };
  /** Delivers dead letters again */
  readonly 'POST /queues/dead-letters/redrive': { readonly path: never; readonly query: never; readonly body: RedriveRequest; readonly answer: Redriven };
  /** Enqueues one message, or several as "messages" */
  readonly 'POST /queues/messages': { readonly path: never; readonly query: never; readonly body: PublishRequest; readonly answer: Published };
  /** Stops deliveries of a Step, or of one of its topics */
  readonly 'POST /queues/pause': { readonly path: never; readonly query: never; readonly body: SubscriptionChoice; readonly answer: SubscriptionsSteered };
  /** Removes what waits */
  readonly 'POST /queues/purge': { readonly path: never; readonly query: never; readonly body: PurgeRequest; readonly answer: Purged };
  /** Goes on with deliveries */
  readonly 'POST /queues/resume': { readonly path: never; readonly query: never; readonly body: SubscriptionChoice; readonly answer: SubscriptionsSteered };
  /** Sends a request, a message, a cron run, a stream item or a run of a Step once more, and says which trace it began */
  readonly 'POST /run': { readonly path: never; readonly query: never; readonly body: RunRequest; readonly answer: RunRecord };
  /** Freezes which dead letters or keys a job is for */
  readonly 'POST /selections': { readonly path: never; readonly query: never; readonly body: SelectionRequest; readonly answer: Selection };
  /** Ends the session of the browser that asks */
  readonly 'POST /session/end': { readonly path: never; readonly query: never; readonly body: undefined; readonly answer: unknown };
  /** A link that opens the page in a browser, once */
  readonly 'POST /session/link': { readonly path: never; readonly query: never; readonly body: {
    readonly role?: Role;
    readonly payloads?: boolean;
  }; readonly answer: SessionLink };
  /** Makes what was before a write the value again */
  readonly 'POST /state/groups/{group}/keys/{key}/restore': { readonly path: 'group' | 'key'; readonly query: never; readonly body: StateRestore; readonly answer: StateItem | Deleted };
  /** Runs the Step of a span again with the recorded input or another one */
  readonly 'POST /steps/replay': { readonly path: never; readonly query: never; readonly body: {
    readonly span: string;
    readonly input?: string;
  }; readonly answer: ReplayStarted };
  /** The same, with the ids as body */
  readonly 'POST /traces/compare': { readonly path: never; readonly query: never; readonly body: TraceComparisonRequest; readonly answer: TraceComparison };
  /** The same, with the filter as body */
  readonly 'POST /traces/search': { readonly path: never; readonly query: never; readonly body: TraceSearch; readonly answer: TracePage };
  /** Stores a value, with a revision only over that one */
  readonly 'PUT /state/groups/{group}/keys/{key}': { readonly path: 'group' | 'key'; readonly query: never; readonly body: StateWrite; readonly answer: StateItem };
  /** Gives the value of a revision another time to live */
  readonly 'PUT /state/groups/{group}/keys/{key}/expiry': { readonly path: 'group' | 'key'; readonly query: never; readonly body: StateExpiryWrite; readonly answer: StateItem };
  /** Stores an item and tells its group */
  readonly 'PUT /streams/{stream}/groups/{group}/items/{id}': { readonly path: 'stream' | 'group' | 'id'; readonly query: never; readonly body: StreamWrite; readonly answer: StreamItem };
}
