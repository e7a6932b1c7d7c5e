import {
  type CallWatcher, type Clock, type ConfigSchema, nearest, type Operation, type OperationContext, OperationError, type Operations, OperationSpans, type OperationSpec,
  type SpanWriter, type Unsubscribe,
} from '@treadle/api';

/** Modules of this repository by the first part of their operations' names, for the text of a missing one. */
const OWNERS: Readonly<Record<string, string>> = {
  queue: 'modules::queue::QueueModule',
  state: 'modules::state::StateModule',
  stream: 'modules::stream::StreamModule',
};
/** How long a call waits for a module that is still starting, or starting again; milliseconds. */
const READY_MS = 10_000;

/** What handlers can call through `ctx`. A declared operation is waited for, so the order of modules never matters. */
export class BoundOperations implements Operations {
  private readonly bound = new Map<string, Operation>();
  private readonly waiting = new Map<string, Set<(operation: Operation) => void>>();

  /** @param declared operations of the plan that runs; a reload has others */
  constructor(public declared: readonly OperationSpec[], private readonly clock: Clock, private readonly guard: OperationGuard) {}

  bind(name: string, operation: Operation): Unsubscribe {
    const guarded = this.guard.around(name, operation, () => this.declared.find((spec) => spec.name === name));
    this.bound.set(name, guarded);
    for (const resolve of this.waiting.get(name) ?? []) resolve(guarded);
    this.waiting.delete(name);
    return () => {
      if (this.bound.get(name) === guarded) this.bound.delete(name);
    };
  }

  /** Rejects with OPERATION_UNAVAILABLE when no loaded module serves the name, or none does within 10 s. */
  get(name: string): Operation | Promise<Operation> {
    const operation = this.bound.get(name);
    if (operation) return operation;
    return this.declared.some((spec) => spec.name === name) ? this.wait(name) : Promise.reject(unavailable(this.missing(name)));
  }

  private missing(name: string): string {
    const owner = OWNERS[name.split('.')[0] ?? ''];
    if (owner) return `operation "${name}" needs ${owner}, which this config does not load`;
    const near = nearest(name, this.declared.filter(({ bare }) => !bare).map((spec) => spec.name));
    return `no loaded module serves operation "${name}"${near === undefined ? '' : `; did you mean "${near}"?`}`;
  }

  private wait(name: string): Promise<Operation> {
    const waiters = this.waiting.get(name) ?? new Set();
    this.waiting.set(name, waiters);
    return new Promise((resolve, reject) => {
      const timer = this.clock.after(READY_MS, () => {
        waiters.delete(found);
        reject(unavailable(`operation "${name}" is not ready: its module has not started`));
      });
      const found = (operation: Operation): void => {
        timer.cancel();
        resolve(operation);
      };
      waiters.add(found);
    });
  }
}

const unavailable = (message: string): OperationError => new OperationError('OPERATION_UNAVAILABLE', message);

/** What is wrong with the arguments of an operation, in words; undefined when they fit its schema. @throws Error for a schema that is none */
export type ArgumentCheck = (args: unknown, schema: ConfigSchema) => string | undefined;

/** What guards need of the engine. */
export interface GuardParts {
  readonly clock: Clock;
  readonly checkArguments?: ArgumentCheck | undefined;
  /** Who writes spans now. */
  readonly watcher: () => CallWatcher | undefined;
}

/** Around the operations of plugins: checks their arguments, writes their spans, and makes their failures and results fit to travel. */
export class OperationGuard {
  private readonly spans: OperationSpans;

  constructor(private readonly parts: GuardParts) {
    const { clock, watcher } = parts;
    const writer: SpanWriter = {
      get tracing() { return watcher() !== undefined; },
      span: (span) => watcher()?.spans([span]),
    };
    this.spans = new OperationSpans(writer, clock);
  }

  /** `spec` is asked at each call: a reload may declare it otherwise. */
  around(name: string, operation: Operation, spec: () => OperationSpec | undefined): Operation {
    return (args, context) => {
      const declared = spec();
      if (declared?.bare) return operation(args, context);
      return this.spans.run(context.call, name, (origin) => this.run(name, operation, args, { ...context, origin, spec: declared }), () => ({ 'treadle.operation': name }));
    };
  }

  private async run(name: string, operation: Operation, args: unknown, { spec, ...context }: OperationContext & { readonly spec: OperationSpec | undefined }): Promise<unknown> {
    const given = args ?? {};
    const problem = spec?.args && this.parts.checkArguments?.(given, spec.args);
    if (problem !== undefined) throw new OperationError('InvalidValue', `"${name}" was refused: ${problem}`);
    try {
      return asJson(name, await operation(given, context));
    } catch (error) {
      if (error instanceof OperationError) throw error;
      throw new OperationError('OPERATION_FAILED', `"${name}" failed: ${error instanceof Error ? error.message : String(error)}`, error);
    }
  }
}

/** As a handler in another process gets it. @throws OperationError `UNWRITABLE_RESULT` for what is no JSON */
function asJson(name: string, result: unknown): unknown {
  try {
    const text = JSON.stringify(result) as string | undefined;
    return text === undefined ? undefined : JSON.parse(text);
  } catch (error) {
    throw new OperationError('UNWRITABLE_RESULT', `the result of "${name}" cannot be written as JSON: ${(error as Error).message}`, error);
  }
}
