/** Types of the config that stood for one sort of Step each. */
export const CONFIG_TYPES: ReadonlySet<string> = new Set([
  'ApiRouteConfig', 'EventConfig', 'CronConfig', 'NoopConfig', 'EventStepConfig', 'ApiStepConfig', 'CronStepConfig', 'StepConfig',
]);

/** Types of a handler; `Handlers['Name']` beside them. */
export const HANDLER_TYPES: ReadonlySet<string> = new Set(['Handlers', 'StepHandler', 'ApiRouteHandler', 'EventHandler', 'CronHandler']);

/** What a package of the family exports as a type, by its name here; what stands behind the name is written at each use. A context is any Step's. */
export const TYPES: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...CONFIG_TYPES].map((name) => [name, 'StepConfig'])),
  ...Object.fromEntries([...HANDLER_TYPES].map((name) => [name, 'Handlers'])),
  StreamConfig: 'StreamConfig',
  ApiMiddleware: 'Middleware',
  ApiRequest: 'HttpRequest',
  MotiaHttpRequest: 'HttpRequest',
  ApiResponse: 'HttpResponse',
  MotiaHttpResponse: 'HttpResponse',
  FlowContext: 'StepContext<any>',
  EventHandlerContext: 'StepContext<any>',
  CronHandlerContext: 'StepContext<any>',
  ApiHandlerContext: 'StepContext<any>',
  Logger: 'StepLogger',
  InternalStateManager: 'State',
  StateManager: 'State',
  IStateManager: 'State',
  MotiaStream: 'StreamClient',
  IStateStream: 'StreamClient',
  StateTriggerInput: 'StateChange',
  StreamTriggerInput: 'StreamChange',
  StreamWrapperMessage: 'StreamChange',
  StreamSubscription: 'StreamSubscription',
  TriggerCondition: 'Condition',
  UpdateOp: 'UpdateOp',
  Enqueuer: "StepContext<any>['enqueue']",
  Emitter: "StepContext<any>['enqueue']",
};

/** Types here that take no arguments, or others than the family's. */
export const WITHOUT_ARGUMENTS: ReadonlySet<string> = new Set(['Middleware', 'StepContext<any>', 'StateChange', 'StreamChange', "StepContext<any>['enqueue']"]);

/** Functions that are called the same way, by their name here. */
export const HELPERS: Readonly<Record<string, string>> = {
  step: 'step', http: 'http', api: 'http', queue: 'queue', event: 'queue', cron: 'cron', state: 'state', stream: 'stream', getContext: 'getContext',
};

/** What the family imports and this runtime has in the context of the run. */
export const FROM_CONTEXT: Readonly<Record<string, string>> = { logger: 'logger', enqueue: 'enqueue', emit: 'enqueue', stateManager: 'state' };

/** Packages of the family whose names are imported from `treadle` instead. */
export const FAMILY = /^(?:motia|@motiadev\/core)$/;

/** Keys of an http trigger. */
export const HTTP_KEYS: ReadonlySet<string> = new Set([
  'method', 'path', 'bodySchema', 'responseSchema', 'querySchema', 'queryParams', 'headersSchema', 'middleware', 'condition', 'bodyLimit', 'timeoutMs',
  'cors', 'rawBody',
]);

/** Keys of a queue trigger. */
export const QUEUE_KEYS: ReadonlySet<string> = new Set(['input', 'config', 'infrastructure', 'condition']);

/** Keys of a cron trigger. */
export const CRON_KEYS: ReadonlySet<string> = new Set(['cron', 'expression', 'timezone', 'condition', 'missed', 'overlap']);

/** What the `queue` part of an `infrastructure` may say here. */
export const QUEUE_CONFIG_KEYS: ReadonlySet<string> = new Set(['type', 'maxRetries', 'visibilityTimeout', 'delaySeconds']);
