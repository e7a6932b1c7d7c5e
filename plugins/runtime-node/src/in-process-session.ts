import {
  type Call, type Logger, type RuntimeHost, type RuntimeSession, type RuntimeSessionHost, type StepFile, StepFailure,
  type StepResult,
} from '@treadle/api';
import { type InvokeInput, type RunFailure, type RunOutcome, StepRunner, type StepRunnerOptions } from '@treadle/worker';

export interface InProcessSessionOptions {
  readonly host: RuntimeHost;
  readonly log: Logger;
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
  private readonly runner: StepRunner;
  private readonly joined: RuntimeSessionHost;
  private loading: Promise<void> = Promise.resolve();

  constructor(private readonly options: InProcessSessionOptions) {
    this.joined = options.host.join(this);
    const { handle } = this.joined;
    this.runner = new StepRunner({
      ...options.runner, inProcess: true,
      host: {
        operation: (callId, op, args) => handle.execute(callId, op, args),
        log: (callId, entry) => handle.log(callId, entry),
      },
    });
  }

  send(call: Call): void {
    this.runner.start(new InProcessInvoke(call), (outcome) => settle(call, outcome));
  }

  cancel(call: Call, reason: 'timeout' | 'client_gone' | 'drain'): void {
    this.runner.cancel(call.id, reason);
  }

  /** One after the other, so that the last set of files is what counts. */
  load(files: readonly StepFile[]): void {
    this.loading = this.loading.then(async () => {
      this.joined.reports(await this.runner.load(files));
      this.settled = true;
      this.options.host.statusChanged();
    }).catch((error: unknown) => this.options.log.error('Steps could not be loaded', { reason: String(error) }));
  }

  /** Resolves when nothing is being loaded any more. */
  get loaded(): Promise<void> {
    return this.loading;
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
    const { traceId, spanId, sampled } = this.call.request;
    return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
  }

  get timeoutMs(): number {
    return this.call.request.timeoutMs;
  }

  get attempt(): number {
    return this.call.request.attempt;
  }
}

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
