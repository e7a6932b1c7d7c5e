import { type Attributes, type Clock, codeAttributes, type Emits, type Telemetry, timeOfDay, type Unsubscribe } from '@treadle/api';
import type { CompletedRequest, RequestOutcome } from './completed-request.js';

const DURATION = { description: 'How long HTTP requests took, from their head to the end of the answer', unit: 's' };
const COUNT = { description: 'HTTP requests that were answered, by status code', unit: '{request}' };
const ACTIVE = { description: 'HTTP requests that are under way', unit: '{request}' };
/** For the module's declaration. */
export const HTTP_EMITS: Emits = {
  spans: [{ name: '<METHOD> <route>', description: 'A request, from its head to the end of the answer, the method alone without a route; an error from status 500 on' }],
  metrics: [
    { name: 'http.server.request.duration', ...DURATION }, { name: 'http.server.request.count', ...COUNT }, { name: 'http.server.active_requests', ...ACTIVE },
  ],
};

/** Others than these would make the labels unbounded. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const OTHER = '_OTHER';
/** Longest path in a span; characters. */
const MAX_PATH = 1_000;
/** Added to the status as the key of an outcome when the method is not the route's: HEAD, answered from GET. */
const OTHER_METHOD = 1000;

/** Where nothing answers there is no route to name; the path without its query says what was asked for. */
function withPath({ attributes }: RequestOutcome, path: string): Attributes {
  return { ...attributes, 'url.path': path.slice(0, MAX_PATH) };
}

/** Counts, times and traces requests; once for each, at its end. */
export class HttpTelemetry {
  private active = 0;
  /** Of requests without a Step, by method and status; of the engine's own routes by path as well. */
  private readonly outcomes = new Map<string, RequestOutcome>();
  private readonly end: Unsubscribe;

  constructor(private readonly telemetry: Telemetry, private readonly clock: Clock) {
    this.end = telemetry.gauge('http.server.active_requests', { ...ACTIVE, read: () => [{ value: this.active, labels: {} }] });
  }

  samples(traceId: string): boolean {
    return this.telemetry.tracing && this.telemetry.samples(traceId);
  }

  /** A request has come; gives the time, in milliseconds of the monotonic clock. */
  began(): number {
    this.active++;
    return this.clock.monotonic();
  }

  /** `status` is 499 when the client left before the answer. */
  completed(of: CompletedRequest, status: number): void {
    this.active--;
    const { began } = of;
    const ms = this.clock.monotonic() - began;
    const outcome = this.outcomeOf(of, status);
    outcome.duration.record(ms / 1000);
    outcome.count.add(1);
    if (!of.sampled) return;
    this.telemetry.span({
      traceId: of.traceId, spanId: of.spanId, parentSpanId: of.parentId, name: outcome.name, kind: 'server',
      startTime: timeOfDay(began), durationMs: ms, error: outcome.error, stepName: '',
      attributes: of.route === undefined && of.ownRoute === '' ? withPath(outcome, of.path) : outcome.attributes,
    });
  }

  /** Something was refused that was no request. */
  refused(status: number): void {
    const { duration, count } = this.shared(OTHER, '', status);
    duration.record(0);
    count.add(1);
  }

  close(): void {
    this.end();
  }

  private outcomeOf({ route, request, ownRoute }: CompletedRequest, status: number): RequestOutcome {
    const method = request.method as string;
    if (route === undefined) return this.shared(METHODS.has(method) ? method : OTHER, ownRoute, status);
    const key = method === route.method ? status : status + OTHER_METHOD;
    let outcome = route.outcomes.get(key);
    if (outcome === undefined) {
      const { step, label } = route;
      outcome = this.make(method, label, status, { 'step.name': step.id, ...codeAttributes(step) });
      route.outcomes.set(key, outcome);
    }
    return outcome;
  }

  private shared(method: string, path: string, status: number): RequestOutcome {
    const key = `${method} ${status} ${path}`;
    let outcome = this.outcomes.get(key);
    if (outcome === undefined) this.outcomes.set(key, outcome = this.make(method, path, status, {}));
    return outcome;
  }

  private make(method: string, route: string, status: number, of: Attributes): RequestOutcome {
    const labels = Object.freeze({
      'http.request.method': method, ...(route === '' ? {} : { 'http.route': route }), 'http.response.status_code': status,
    });
    return {
      duration: this.telemetry.histogram('http.server.request.duration', labels, DURATION),
      count: this.telemetry.counter('http.server.request.count', labels, COUNT),
      name: route === '' ? method : `${method} ${route}`,
      attributes: Object.freeze({ ...labels, 'url.scheme': 'http', ...of }),
      error: status >= 500 ? Object.freeze({ type: String(status), message: `answered with status ${status}` }) : undefined,
    };
  }
}
