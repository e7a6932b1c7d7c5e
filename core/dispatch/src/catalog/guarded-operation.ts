import {
  type CallWatcher, type Clock, type ConfigSchema, type Operation, type OperationContext, OperationError, OperationSpans, type OperationSpec, type SpanWriter,
} from '@treadle/api';

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
