import type { Clock, Health, Invoker, LogSink } from '@treadle/api';
import type { CheckThread } from '@treadle/json';
import type { AccessLog } from '../telemetry/access-log.js';
import type { BodyBudget } from '../body/body-memory.js';
import type { DecodingTurns } from '../body/decoding-turns.js';
import type { ClientAddress } from './client-address.js';
import type { CorsPolicy } from '../response/cors.js';
import type { HttpConfig } from '../http.config.js';
import type { HttpTelemetry } from '../telemetry/http-telemetry.js';
import type { Admission } from './admission.js';

/** What all requests of a module share. */
export interface HttpCore {
  readonly config: HttpConfig;
  readonly invoker: Invoker;
  readonly health: Health;
  /** Where records of requests go. */
  readonly sink: LogSink;
  /** Service name in them. */
  readonly service: string;
  readonly clock: Clock;
  readonly admission: Admission;
  /** Of the bodies of requests. */
  readonly budget: BodyBudget;
  readonly decodingTurns: DecodingTurns;
  /** Reads and checks large bodies. */
  readonly checkThread: CheckThread;
  /** Of answers that are not small. */
  readonly answers: BodyBudget;
  /** Who has sent a request. */
  readonly clients: ClientAddress;
  readonly cors: CorsPolicy | undefined;
  readonly development: boolean;
  /** `debug` on a loopback bind. */
  readonly showExceptions: boolean;
  /** Requests whose response is an event stream. */
  readonly eventStreams: Set<{ endStream(): void }>;
  /** Absent unless `access_log` is on. */
  readonly accessLog: AccessLog | undefined;
  /** Absent without an observability module. */
  readonly telemetry: HttpTelemetry | undefined;
}
