import type { EpochMs, JsonValue, PlainJson } from './common.js';

/** A trigger as the engine knows it: schemas are JSON Schema. */
export interface TriggerRecord {
  readonly type: string;
  readonly [key: string]: PlainJson;
}

/** One of `GET /steps`' items. */
export interface StepRecord {
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
  readonly language: 'typescript' | 'javascript' | 'python';
  /** Changes whenever the config changes. */
  readonly configHash: string;
  /** By the index of a trigger: files of middleware that hold for its route, the outermost first; absent: none for any. */
  readonly middleware?: readonly (readonly string[])[];
  /** Application that it belongs to; absent: that of the engine. */
  readonly application?: string;
}

/** Something wrong with a Step. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  readonly step?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** `GET /steps` */
export interface StepsAnswer {
  readonly items: readonly StepRecord[];
  readonly diagnostics: readonly Diagnostic[];
  readonly sessions: readonly WorkerSession[];
  readonly workers: readonly RuntimeWorker[];
  readonly crashes: readonly WorkerCrash[];
}

/** A connected Step process. */
export interface WorkerSession {
  readonly id: string;
  readonly runtime: string;
  readonly version: string;
  readonly pid?: number;
  readonly origin: 'child' | 'remote' | 'in-process';
  readonly application?: string;
  readonly build?: string;
  readonly steps: readonly string[];
  readonly running: number;
}

/** A process that the engine starts and restarts. */
export interface RuntimeWorker {
  readonly runtime: string;
  readonly worker: number;
  readonly pid?: number;
  readonly state: 'starting' | 'ready' | 'restarting' | 'crash_looping' | 'stopped';
  readonly restarts: number;
  readonly settled: boolean;
}

export interface WorkerCrash {
  readonly runtime: string;
  readonly worker: number;
  readonly pid?: number;
  readonly reason: string;
  readonly output: string;
  readonly crashLooping: boolean;
  readonly restartMs: number;
}

/** `GET /workers`: processes with what the system says of them. */
export interface WorkersAnswer {
  readonly sessions: readonly (WorkerSession & ProcessUse)[];
  readonly workers: readonly RuntimeWorker[];
  readonly crashes: readonly WorkerCrash[];
}

/** Absent where the system does not tell (it is read from `/proc`). */
export interface ProcessUse {
  readonly memoryBytes?: number;
  readonly cpuSeconds?: number;
}

/** `GET /flows`: nodes are Steps, files that did not load, and topics, edges lead from what starts to what is started. */
export interface FlowGraph {
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
  /** Names of flows that Steps say they belong to. */
  readonly flows: readonly string[];
  /** How many spans the observed edges and numbers come from. */
  readonly observed: { readonly spans: number; readonly from?: number };
}

export type FlowNode = StepNode | FileNode | TopicNode | StoreNode;

export interface StepNode {
  readonly kind: 'step';
  /** `step:<name>` */
  readonly id: string;
  readonly step: string;
  readonly title: string;
  readonly file: string;
  readonly line?: number;
  readonly language: StepRecord['language'];
  readonly flows: readonly string[];
  readonly triggers: readonly { readonly type: string; readonly label: string }[];
  /** Of its runs among the kept spans; absent without spans. */
  readonly runs?: NodeRuns;
  readonly diagnostics: readonly Diagnostic[];
  /** Processes that serve it now. */
  readonly workers: number;
}

/** A file of which no Step could be loaded: `file:<path>`. */
export interface FileNode {
  readonly kind: 'file';
  readonly id: string;
  /** Its name without folders. */
  readonly title: string;
  readonly file: string;
  readonly diagnostics: readonly Diagnostic[];
}

export interface NodeRuns {
  readonly count: number;
  readonly errors: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly lastAt: number;
}

/** `topic:<name>` */
export interface TopicNode {
  readonly kind: 'topic';
  readonly id: string;
  readonly title: string;
}

/** A group of state or a stream that Steps touched: `state:<group>`, `stream:<name>`. */
export interface StoreNode {
  readonly kind: 'state' | 'stream';
  readonly id: string;
  readonly title: string;
}

export interface FlowEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: 'enqueues' | 'consumes' | 'touches';
  /** A config says so. */
  readonly declared: boolean;
  /** How often the kept spans show it; 0: never seen. */
  readonly seen: number;
  /** Declared by `virtualEnqueues` or `virtualSubscribes`: for pictures only, never seen. */
  readonly virtual?: true;
  /** Of the subscription; only of `consumes`. */
  readonly queue?: { readonly waiting: number; readonly active: number; readonly retrying: number; readonly dead: number; readonly oldestAgeMs?: number; readonly paused: boolean };
}

/** One of `GET /findings`' items: something that is not as it should be. */
export interface Finding {
  /** The same while the finding is the same. */
  readonly id: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly code:
    | 'step_diagnostic' | 'undeclared_enqueue' | 'enqueue_never_seen' | 'topic_without_consumer' | 'topic_without_producer' | 'enqueue_cycle'
    | 'dead_letters' | 'old_messages' | 'unrouted_messages' | 'subscription_paused' | 'failing_step' | 'cron_failing' | 'memory_adapter' | 'sampled'
    | 'worker_crash' | 'health';
  readonly message: string;
  readonly remedy: string;
  /** What it is about. */
  readonly about: { readonly step?: string; readonly topic?: string; readonly module?: string };
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
}

/** `GET /steps/:id/source?around=&lines=` */
export interface StepSource {
  readonly step: string;
  readonly file: string;
  /** Number of the first line in `text`, from 1. */
  readonly from: number;
  /** Lines of the file. */
  readonly total: number;
  /** Line of the Step's config, or the one that was asked for. */
  readonly line: number;
  readonly text: string;
  readonly language: StepRecord['language'];
}

/** `GET /steps/inputs/:span`: what a run of a handler was started with. For operators. */
export interface RecordedInput {
  /** The span of the handler. */
  readonly span: string;
  readonly step: string;
  /** Kind of the trigger, e.g. `queue`. */
  readonly trigger: string;
  /** First argument of the handler; of a request with stand-ins such as `[secret headers.cookie]`, which a replay takes back. */
  readonly input: JsonValue;
}

/** `POST /steps/replay` `{span, input?}` */
export interface ReplayStarted {
  readonly traceId: string;
  /** Root of the new trace. */
  readonly spanId: string;
  readonly step: string;
}
