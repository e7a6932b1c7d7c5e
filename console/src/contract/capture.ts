import type { IsoTime } from './common.js';
import type { FlowGraph, RecordedInput, StepRecord } from './flows.js';
import type { LogPage } from './logs.js';
import type { TraceView } from './traces.js';

/** `GET /traces/:id/capture`: a trace with all that is kept of it, as one file that any console opens. Nothing in it is newer than `takenAt`. */
export interface TraceCapture {
  readonly format: 'treadle-trace-capture';
  /** Rises when an older page could not read the file. */
  readonly version: 1;
  readonly takenAt: IsoTime;
  readonly engine: { readonly application: string; readonly version: string; readonly mode: 'development' | 'production' };
  readonly trace: TraceView;
  /** Its log records, the oldest first; the first 5,000. */
  readonly logs: LogPage;
  readonly inputs: CapturedInputs;
  /** The Steps of the trace as they were when it was taken. */
  readonly steps: readonly CapturedStep[];
  /** The part of the flow that it passed. */
  readonly flow: Pick<FlowGraph, 'nodes' | 'edges'>;
}

/** What handlers of the trace were started with. Secrets have stand-ins, as in `GET /steps/inputs/:span`. */
export interface CapturedInputs {
  readonly items: readonly RecordedInput[];
  /** Why some are not there. */
  readonly note?: string;
}

/** Which version of a Step there was. */
export interface CapturedStep {
  readonly step: string;
  readonly file: string;
  readonly line?: number;
  readonly language: StepRecord['language'];
  readonly config: StepRecord['config'];
  readonly configHash: string;
  /** SHA-256 of its file; absent where the file cannot be read, e.g. of a Step of another machine. */
  readonly sourceHash?: string;
  /** Builds of the processes that serve it, where they have a name. */
  readonly builds: readonly string[];
}
