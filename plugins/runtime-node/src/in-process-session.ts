import { createRequire } from 'node:module';
import {
  type Call, formatTraceParent, type Logger, type RuntimeHost, type RuntimeSession, type RuntimeSessionHost, type SpanRecord, type StepFile, StepFailure,
  type StepFileReport, type StepResult, takeStrayErrors, WrittenJson,
} from '@treadle/api';
import { type Caller, type InvokeInput, type RunFailure, type RunOutcome, StepRunner, type StepRunnerOptions } from '@treadle/worker';

export interface InProcessSessionOptions {
  readonly host: RuntimeHost;
  readonly log: Logger;
  /** The engine's time, where it is not the machine's; milliseconds since the epoch. */
  readonly now?: () => number;
  readonly runner: Omit<StepRunnerOptions, 'host' | 'inProcess'>;
}

/** The session of the engine's own process: the objects of a call go to the handler and back as they are. */
export class InProcessSession implements RuntimeSession {
  readonly id = 'in-process';
  readonly runtime = 'in-process';
  readonly version = process.version;
  readonly pid = process.pid;
  /** True once the Steps were loaded for the first time. */
  settled = false;
  protected readonly runner: StepRunner;
  private readonly joined: RuntimeSessionHost;
  private readonly caller: Caller;
  private readonly letGo: () => void;
  private loading: Promise<void> = Promise.resolve();

  constructor(private readonly options: InProcessSessionOptions) {
    this.joined = options.host.join(this);
    const { handle } = this.joined;
    this.caller = { operation: (callId, op, args) => handle.execute(callId, op, args).then(plain) };
    this.runner = new StepRunner({
      esbuild: createRequire(import.meta.url).resolve('esbuild'), ...options.runner, inProcess: true, opens: true,
      host: {
        log: (callId, entry) => handle.log(callId, entry),
        spans: (spans) => handle.spans(spans as readonly SpanRecord[]),
        measurements: (points) => handle.measurements(points),
        ...(options.now && { now: options.now }),
      },
      onReports: (reports) => this.joined.reports(reports),
    });
    this.letGo = takeStrayErrors((error, origin, claim) => this.runner.takeStray(error, origin, claim));
  }

  send(call: Call): void {
    this.runner.start(new InProcessInvoke(call), this.caller, (outcome, span) => {
      if (span !== undefined) call.report = { span };
      this.ended(call, outcome);
    });
  }

  cancel(call: Call, reason: 'timeout' | 'client_gone' | 'drain'): void {
    this.runner.cancel(call.id, reason);
  }

  /** One after the other, so that the last set of files is what counts. */
  load(files: readonly StepFile[]): void {
    this.loading = this.loading.then(async () => {
      this.joined.reports(await this.read(files));
      this.settled = true;
      this.options.host.statusChanged();
    }).catch((error: unknown) => this.options.log.error('Steps could not be loaded', { reason: String(error) }));
  }

  /** Resolves when nothing is being loaded any more. */
  get loaded(): Promise<void> {
    return this.loading;
  }

  /** Closes what was opened for handlers. Errors of its Steps that nobody catches from now on are the engine's. */
  async end(): Promise<void> {
    await this.runner.close();
    this.letGo();
  }

  /** The handler has ended; a call that was settled before, e.g. by its time limit, stays as it is. */
  protected ended(call: Call, outcome: RunOutcome): void {
    settle(call, outcome);
  }

  /** Loads the files. */
  protected read(files: readonly StepFile[]): Promise<readonly StepFileReport[]> {
    return this.runner.load(files);
  }

  /** There is no process to end; the engine waits for running calls itself. */
  drain(): void {
    return undefined;
  }
}

/** A call as the runner reads it: nothing is copied, and what is seldom read is made when it is. */
class InProcessInvoke implements InvokeInput {
  readonly id: number;
  readonly step: string;
  readonly trigger: InvokeInput['trigger'];
  readonly input: unknown;
  readonly streams: InvokeInput['streams'];

  constructor(private readonly call: Call) {
    const { step, trigger, input, streams } = call.request;
    this.id = call.id;
    this.step = step;
    this.trigger = trigger;
    this.input = input;
    this.streams = streams;
  }

  get traceparent(): string {
    const { request: { traceId, spanId, sampled }, spanId: own = spanId } = this.call;
    return formatTraceParent(traceId, own, sampled);
  }

  get timeoutMs(): number {
    return this.call.request.timeoutMs;
  }

  get attempt(): number {
    return this.call.request.attempt;
  }

  get message(): InvokeInput['message'] {
    const { message } = this.call.request;
    return message && { id: message.messageId, enqueuedAt: message.enqueuedAt, ...(message.headers !== undefined && { headers: JSON.parse(message.headers) as Record<string, string> }) };
  }
}

const plain = (result: unknown): unknown => (result instanceof WrittenJson ? result.value : result);

function settle(call: Call, outcome: RunOutcome): void {
  // The outcome of success has the shape of a result; passing it on saves a copy for each request.
  if (outcome.ok) call.succeed(outcome as StepResult);
  else call.fail(failure(outcome));
}

function failure({ code, message, name, stack, issues, nonRetryable, retryAfterMs }: RunFailure): StepFailure {
  return new StepFailure(code, message, {
    ...(name !== undefined && { errorName: name }),
    ...(stack !== undefined && { stack }),
    ...(issues !== undefined && { issues }),
    ...(nonRetryable === true && { nonRetryable }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}
