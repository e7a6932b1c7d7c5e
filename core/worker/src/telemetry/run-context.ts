import { AsyncLocalStorage } from 'node:async_hooks';
import { contextStorage } from 'treadle';
import type { HandlerSpan } from './handler-span.js';
import type { OpenTelemetryApi, OtelContext } from './open-telemetry-api.js';

/** A context that code entered, and the handler below which it did. */
interface Entered {
  readonly handler: HandlerSpan | undefined;
  readonly context: OtelContext;
}

/** The span of the handler that the caller runs in, whichever copy of this package runs it. */
export function currentSpan(): HandlerSpan | undefined {
  return contextStorage().getStore()?.trace as HandlerSpan | undefined;
}

/** OpenTelemetry's context manager: below a handler its span is active until code enters a context of its own. */
export class RunContextManager {
  readonly #storage = new AsyncLocalStorage<Entered>();
  readonly #api: OpenTelemetryApi;

  constructor(api: OpenTelemetryApi) {
    this.#api = api;
  }

  active(): OtelContext {
    const handler = currentSpan();
    const entered = this.#storage.getStore();
    // What one handler entered must not reach another that begins because of it.
    if (entered && entered.handler === handler) return entered.context;
    return handler ? this.#contextOf(handler) : this.#api.ROOT_CONTEXT;
  }

  /** The span of the current handler, as long as code has entered no context of its own below it. */
  plainSpan(): HandlerSpan | undefined {
    const handler = currentSpan();
    const entered = this.#storage.getStore();
    return entered && entered.handler === handler ? undefined : handler;
  }

  with<A extends unknown[], R>(context: OtelContext, task: (...args: A) => R, self?: unknown, ...args: A): R {
    return this.#storage.run({ handler: currentSpan(), context }, () => task.apply(self, args));
  }

  /** Functions only; an event emitter is handed back as it is. */
  bind<T>(context: OtelContext, target: T): T {
    if (typeof target !== 'function') return target;
    const task = target as unknown as (...args: unknown[]) => unknown;
    const enter = (self: unknown, args: unknown[]): unknown => this.with(context, task, self, ...args);
    return function bound(this: unknown, ...args: unknown[]): unknown {
      return enter(this, args);
    } as unknown as T;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    return this;
  }

  #contextOf(handler: HandlerSpan): OtelContext {
    const { trace, ROOT_CONTEXT } = this.#api;
    return (handler.otelContext ??= trace.setSpan(ROOT_CONTEXT, handler)) as OtelContext;
  }
}
