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
    const problem = this.problemOf(given, spec);
    if (problem !== undefined) throw new OperationError('InvalidValue', `"${name}" was refused: ${problem}`);
    try {
      return asJson(await operation(given, context));
    } catch (error) {
      if (error instanceof OperationError) throw error;
      throw new OperationError('OPERATION_FAILED', `"${name}" failed: ${error instanceof Error ? error.message : String(error)}`, error);
    }
  }

  private problemOf(args: unknown, spec: OperationSpec | undefined): string | undefined {
    if (typeof args !== 'object' || args === null || Array.isArray(args)) return 'its arguments are one object';
    return spec?.args && this.parts.checkArguments?.(args, spec.args);
  }
}

/** As a handler in another process gets it: what is no JSON fails here, by name, and not on its way. */
function asJson(result: unknown): unknown {
  if (typeof result !== 'object' && typeof result !== 'bigint') return typeof result === 'function' || typeof result === 'symbol' ? undefined : result;
  return JSON.parse(JSON.stringify(result));
}
