import { type Clock, type LogSink, wallTime } from '@treadle/api';
import type { ClientAddress } from '../request/client-address.js';
import { HEALTH_PATH } from '../routing/health-path.js';
import type { CompletedRequest } from './completed-request.js';

/** Longest path in a record; characters. */
const MAX_PATH = 1_000;

/** Where the records go. */
export interface AccessLogOptions {
  readonly sink: LogSink;
  /** Service name in the records. */
  readonly service: string;
  readonly clock: Clock;
  /** Who has sent a request. */
  readonly clients: ClientAddress;
}

/**
 * Writes a record for each request at its end: method, path, status, milliseconds, the address of the client, and the route when one
 * matched. The query is left out, for it may hold what nobody else should read, and so are requests to `/health`.
 */
export class AccessLog {
  constructor(private readonly options: AccessLogOptions) {}

  /** A request has come; gives the time, in milliseconds of the monotonic clock. */
  began(): number {
    return this.options.clock.monotonic();
  }

  /** `status` is 499 when the client left before the answer. */
  completed({ request, route, path, began, traceId, spanId }: CompletedRequest, status: number): void {
    if (path === HEALTH_PATH) return;
    const { sink, service, clock, clients } = this.options;
    const ms = Math.round((clock.monotonic() - began) * 10) / 10;
    sink.write({
      timestamp: new Date(wallTime(clock)).toISOString(), level: 'info', message: 'request', traceId, spanId, service, stepName: route?.step.id ?? '',
      fields: {
        method: request.method, path: path.slice(0, MAX_PATH), status, ms, ip: clients.of(request),
        ...(route !== undefined && { route: route.label }),
      },
    });
  }
}
