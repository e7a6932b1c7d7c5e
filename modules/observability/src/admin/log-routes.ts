import {
  AdminError, type AdminEventSink, type AdminRoutes, AdminStream, type Clock, invalidArgument, type LogRecord, queryArgument, type QueryTest, type Unsubscribe, wallTime,
} from '@treadle/api';
import { logContext, type LogContextQuery } from '../logs/log-context.js';
import { exportLogs } from '../logs/log-export.js';
import { LOG_FORMATS } from '../logs/log-format.js';
import { type LogFilter, logTest } from '../logs/log-filter.js';
import { logPatterns } from '../logs/log-patterns.js';
import { type KeptLog } from '../logs/log-ring.js';
import { logFacets, logHistogram, type LogQuery, searchLogs, shown } from '../logs/log-search.js';
import { LOG_TARGET } from '../logs/log-target.js';
import type { TelemetryStore } from '../telemetry-store.js';
import type { RecordingNotes } from './recording-notes.js';
import { RequestArguments } from './request-arguments.js';
import { unknownFields } from './unknown-fields.js';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const FORMATS = ['ndjson', 'csv', 'text'] as const;
const FILTER = ['q', 'level', 'step', 'traceId', 'spanId', 'text', 'from', 'to', 'fields'];
const SEARCH = [...FILTER, 'limit', 'order', 'cursor'];
const MAX_PAGE = 5000;
const DEFAULT_PAGE = 100;
const MAX_BARS = 1000;
const DEFAULT_BARS = 60;
const MAX_CONTEXT = 500;
const DEFAULT_CONTEXT = 20;
const SECOND_MS = 1000;
/** Most records that a follower gets in a second, on the average; of the others it is told how many they were. */
export const MAX_FOLLOWED = 1200;

/** What operators may ask about the log. */
export function addLogRoutes(routes: AdminRoutes, store: TelemetryStore, surroundings: { readonly notes: RecordingNotes; readonly clock: Clock }): void {
  const { notes, clock } = surroundings;
  const current = (): TelemetryStore['logs'] => {
    store.logs.expire(wallTime(clock));
    return store.logs;
  };
  const search = async (given: unknown): Promise<unknown> => ({ ...searchLogs(current(), logQuery(given)), ...unknownFields(asked(RequestArguments.of(given)), LOG_TARGET, () => records(store)), note: notes.logs });
  const facets = async (given: unknown): Promise<unknown> => ({ items: logFacets(current(), filterAlone(given)), note: notes.logs });
  const histogram = async (given: unknown): Promise<unknown> => {
    const args = RequestArguments.of(given);
    return { ...logHistogram(current(), filterOf(args), args.whole('buckets', 1, MAX_BARS) ?? DEFAULT_BARS), note: notes.logs };
  };
  // Searches change nothing; as a GET they leave no line in the very log that they are about.
  for (const [path, answer, takes, summary] of [
    ['/logs/facets', facets, FILTER, 'Values of fields with their counts'], ['/logs/histogram', histogram, [...FILTER, 'buckets'], 'Counts over time'],
  ] as const) {
    routes.get(path, ({ query }) => answer(query), takes, summary);
    routes.post(path, ({ body }) => answer(body), takes, `${summary}; the filter as body`, 'viewer');
  }
  routes.get('/logs/patterns', async ({ query }) => {
    const args = RequestArguments.of(query);
    return { items: logPatterns(current(), filterOf(args), args.whole('limit', 1, MAX_PAGE) ?? DEFAULT_PAGE) };
  }, [...FILTER, 'limit'], 'Records alike but for numbers and ids, the most frequent first');
  routes.get('/logs/context', async ({ query }) => {
    const asked = contextOf(RequestArguments.of(query));
    const found = logContext(current(), asked);
    if (found) return found;
    throw new AdminError(404, 'not_found', whyNot(store.logs, asked.id));
  }, ['id', 'before', 'after', 'scope'], 'Records around one, the oldest first');
  routes.get('/logs', ({ query }) => search(query), SEARCH, 'Log records, the latest first');
  routes.post('/logs/search', ({ body }) => search(body), SEARCH, 'The same, with the filter as body', 'viewer');
  routes.get('/logs/export', async ({ query }) => exported(current(), RequestArguments.of(query)), [...FILTER, 'format'], 'All records as JSON lines, CSV or text');
  routes.events('/logs/follow', ({ query }, send) => {
    const args = RequestArguments.of(query);
    const [filter, since] = [filterOf(args), args.whole('since', 0, Number.MAX_SAFE_INTEGER)];
    const tail = args.whole('tail', 0, MAX_PAGE) ?? (since === undefined ? 0 : MAX_PAGE);
    sendLatest({ ring: current(), filter, since, tail }, send);
    return follow(store, filter, send, clock);
  }, [...FILTER, 'tail', 'since'], 'Records as they come; first the latest `tail` that there are, or those after the record `since`');
}

function whyNot({ origin, oldest, end }: TelemetryStore['logs'], id: number): string {
  if (id < origin) return `record ${id} is gone: it is of a former run of this engine, whose records ended with it`;
  return `record ${id} is not kept; those from ${oldest} to ${end - 1} are`;
}

function exported(ring: TelemetryStore['logs'], args: RequestArguments): AdminStream {
  const format = LOG_FORMATS[args.oneOf('format', FORMATS) ?? 'ndjson'];
  return new AdminStream(format.contentType, exportLogs(ring, filterOf(args), format), format.file);
}

function logQuery(given: unknown): LogQuery {
  const args = RequestArguments.of(given);
  return {
    ...filterOf(args), limit: args.whole('limit', 1, MAX_PAGE) ?? DEFAULT_PAGE, order: args.oneOf('order', ['asc', 'desc']) ?? 'desc',
    cursor: args.whole('cursor', 0, Number.MAX_SAFE_INTEGER),
  };
}

const asked = (args: RequestArguments): QueryTest<LogRecord> | undefined => queryArgument(args.text('q'), LOG_TARGET);

function* records({ logs }: TelemetryStore): Generator<LogRecord> {
  for (let id = logs.oldest; id < logs.end; id += 1) yield logs.record(id);
}

function contextOf(args: RequestArguments): LogContextQuery {
  const id = args.whole('id', 0, Number.MAX_SAFE_INTEGER);
  if (id === undefined) throw invalidArgument('id must be the id of a record');
  const around = (name: string): number => args.whole(name, 0, MAX_CONTEXT) ?? DEFAULT_CONTEXT;
  return { id, before: around('before'), after: around('after'), scope: args.oneOf('scope', ['all', 'step', 'trace']) ?? 'all' };
}

function filterAlone(given: unknown): LogFilter {
  return filterOf(RequestArguments.of(given));
}

function filterOf(args: RequestArguments): LogFilter {
  return {
    level: args.oneOf('level', LEVELS), step: args.text('step'), traceId: args.text('traceId'), spanId: args.text('spanId'), text: args.text('text'),
    from: args.time('from'), to: args.time('to'), fields: args.map('fields'), asked: asked(args)?.test,
  };
}

/** Sends the latest `tail` records that pass, those after `since` alone where it is given, the oldest first; before them how many of those they are not. */
function sendLatest({ ring, filter, since, tail }: { readonly ring: TelemetryStore['logs']; readonly filter: LogFilter; readonly since: number | undefined; readonly tail: number }, send: AdminEventSink): void {
  if (tail === 0) return;
  const items = since === undefined ? searchLogs(ring, { ...filter, order: 'desc', limit: tail }).items.slice().reverse() : searchLogs(ring, { ...filter, order: 'asc', cursor: since, limit: Infinity }).items;
  if (items.length > tail) send({ dropped: items.length - tail });
  for (const record of items.slice(-tail)) send(record);
}

/** Sends what passes as it comes, at most so much a second and what the second before left of it; `{dropped}` stands where something is left out. */
function follow(store: TelemetryStore, filter: LogFilter, send: AdminEventSink, clock: Clock): Unsubscribe {
  const test = logTest(filter);
  const thisSecond = (): number => Math.floor(clock.monotonic() / SECOND_MS);
  let [second, allowed, dropped] = [thisSecond(), MAX_FOLLOWED, 0];
  const tell = (): void => {
    if (dropped > 0) send({ dropped });
    dropped = 0;
  };
  const begin = (now: number): void => {
    tell();
    allowed = Math.min(allowed + (now - second) * MAX_FOLLOWED, 2 * MAX_FOLLOWED);
    second = now;
  };
  const timer = clock.every(SECOND_MS, tell);
  const leave = store.logs.follow((log: KeptLog) => {
    if (!test(log.record)) return;
    const now = thisSecond();
    if (now !== second) begin(now);
    if (allowed === 0) {
      dropped += 1;
      return;
    }
    allowed -= 1;
    send(shown(log));
  });
  return () => {
    timer.cancel();
    leave();
  };
}
