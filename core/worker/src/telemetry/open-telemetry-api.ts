/** What is used of `@opentelemetry/api` 1.x, by shape: the application brings its own copy, and none is needed. */
export interface OpenTelemetryApi {
  readonly ROOT_CONTEXT: OtelContext;
  readonly trace: {
    setGlobalTracerProvider(provider: unknown): boolean;
    setSpan(context: OtelContext, span: unknown): OtelContext;
    getSpan(context: OtelContext): unknown;
    wrapSpanContext(context: { traceId: string; spanId: string; traceFlags: number }): unknown;
  };
  readonly context: {
    setGlobalContextManager(manager: unknown): boolean;
    active(): OtelContext;
    with<T>(context: OtelContext, task: () => T): T;
  };
  readonly metrics: { setGlobalMeterProvider(provider: unknown): boolean };
}

/** OpenTelemetry's `Context`: an immutable map that only its own functions look into. */
export interface OtelContext {
  getValue(key: symbol): unknown;
}

/** Whether what `@opentelemetry/api` resolved to has what is used of it. */
export function isApi(found: unknown): found is OpenTelemetryApi {
  const { trace, context, metrics, ROOT_CONTEXT } = (found ?? {}) as Partial<OpenTelemetryApi>;
  return typeof trace?.setGlobalTracerProvider === 'function' && typeof trace.wrapSpanContext === 'function'
    && typeof context?.setGlobalContextManager === 'function' && typeof metrics?.setGlobalMeterProvider === 'function' && ROOT_CONTEXT !== undefined;
}
