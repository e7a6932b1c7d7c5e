import { AdminError, type AdminRequest, type AdminRoutes, AdminStream, type Clock, invalidArgument, type Labels, type SpanRecord } from '@treadle/api';
import type { ComparedFrom, TraceComparison } from '../spans/trace-comparison.js';
import type { MarkedTracePage } from '../spans/trace-search.js';
import { TRACE_TARGET } from '../spans/trace-target.js';
import { MAX_ROWS, type SpanRow } from '../spans/trace-view.js';
import type { TelemetryStore } from '../telemetry-store.js';
import { MOST_AT_A_TIME, TraceFeed } from './follow-traces.js';
import type { RecordingNotes } from './recording-notes.js';
import { RequestArguments } from './request-arguments.js';
import { doneMessages } from '../spans/done-messages.js';
import { failuresOf, type StepFailure } from '../spans/step-failures.js';
import { asked, DONE, doneSearch, GROUPING, SEARCH, traceGrouping, traceQuery } from './trace-arguments.js';
import { unknownFields } from './unknown-fields.js';

const MAX_CHILDREN = 500;
const DEFAULT_ROWS = 5000;
const MOST_FAILURES = 50;
/** As logs and requests are printed: the first digits of an id. */
const BEGINNING = /^[0-9a-f]{4,31}$/;
/** Ids that are named when a beginning fits several. */
const SHOWN_ALIKE = 3;
/** Digits of an id in the name of a file. */
const SHORT_ID = 8;
const FOREVER = Number.MAX_SAFE_INTEGER;
const COMPARISON = ['a', 'b', 'aSpan', 'bSpan', 'limit'];

interface TraceSurroundings {
  readonly notes: RecordingNotes;
  readonly clock: Clock;
  /** Asked each time: a reload may change it. */
  readonly resource: () => Labels;
}

/** What operators may ask about traces. */
export function addTraceRoutes(routes: AdminRoutes, store: TelemetryStore, { notes, clock, resource }: TraceSurroundings): void {
  const search = async (given: unknown): Promise<MarkedTracePage & { readonly note?: string | undefined }> => {
    const query = asked(RequestArguments.of(given));
    return { ...store.searchTraces({ ...traceQuery(given), asked: query?.test }), ...unknownFields(query, TRACE_TARGET, () => store.traces()), note: notes.traces };
  };
  const find = <T>({ params }: AdminRequest, look: (traceId: string) => T | undefined): T => {
    const traceId = meantTrace(store, params['id'] ?? '');
    const found = look(traceId);
    if (found !== undefined) return found;
    throw new AdminError(404, 'not_found', notes.whyNot(traceId));
  };
  const compare = async (given: unknown): Promise<TraceComparison> => {
    const { a: writtenA, b: writtenB, ...rest } = comparison(given);
    const [a, b] = [meantTrace(store, writtenA), meantTrace(store, writtenB)];
    const found = store.compare(a, b, rest);
    if (found) return found;
    throw new AdminError(404, 'not_found', notes.whyNot(store.path(a) ? b : a));
  };
  const feed = new TraceFeed(store, clock);
  // Neither changes anything; as a GET it leaves no line in the audit.
  routes.get('/traces', ({ query }) => search(query), SEARCH, 'Traces, the latest first');
  routes.post('/traces/search', ({ body }) => search(body), SEARCH, 'The same, with the filter as body', 'viewer');
  routes.get('/traces/groups', async ({ query }) => ({ ...store.groupTraces(traceGrouping(query)), note: notes.traces }), GROUPING, 'Traces by the values of a field, the most frequent first');
  routes.get('/traces/compare', ({ query }) => compare(query), COMPARISON, 'Two traces side by side');
  routes.post('/traces/compare', ({ body }) => compare(body), COMPARISON, 'The same, with the ids as body', 'viewer');
  routes.get('/traces/messages', async ({ query }) => ({ ...doneMessages(store.spans, doneSearch(query, clock.now())), note: notes.traces }), DONE, 'Messages of a topic that were done, the latest first, as far as their spans are kept');
  routes.get('/traces/activity', async () => store.activity(), [], 'What the kept spans show of each Step: runs, topics, state and streams');
  routes.get('/traces/failures', async ({ query }) => ({ ...stepFailures(store, query), note: notes.traces }), ['step', 'limit'], 'Runs of a Step that failed, the latest first, as far as their spans are kept');
  routes.events('/traces/follow', ({ query }, send) => {
    const args = RequestArguments.of(query);
    return feed.follow({ send, test: asked(args)?.test, most: args.whole('limit', 1, MOST_AT_A_TIME), since: args.whole('since', 0, Number.MAX_SAFE_INTEGER) });
  }, ['q', 'limit', 'since'], 'Traces whose spans end, as they are by then; with the `end` of a list those since it, too');
  routes.get('/traces/:id', async (request) => new AdminStream('application/json', find(request, (traceId) => store.trace(traceId, rowLimit(request.query)))), ['limit'], 'One trace as a tree');
  routes.get('/traces/:id/otlp', async (request) => asOtlp(find(request, (traceId) => spansOf(store, traceId)), resource()), [], 'The spans of a trace as OTLP in JSON');
  routes.get('/traces/:id/path', async (request) => find(request, (traceId) => store.path(traceId, RequestArguments.of(request.query).oneOf('until', ['effect', 'reply']))), ['until'], 'The critical path of a trace, until its last effect or its reply');
  routes.get('/traces/:id/spans', async (request) => {
    const { parent, limit, cursor } = childQuery(request.query);
    return page(find(request, (traceId) => store.children(traceId, parent)), limit, cursor);
  }, ['parent', 'limit', 'cursor'], 'Children of a span');
}

/** The id that a text stands for: the text itself, or the only kept trace that begins so. @throws AdminError when several do */
function meantTrace(store: TelemetryStore, written: string): string {
  const given = written.toLowerCase();
  if (!BEGINNING.test(given)) return given;
  const [first, ...others] = store.tracesBeginningWith(given, SHOWN_ALIKE);
  if (others.length > 0) throw invalidArgument(`several traces begin with "${given}": ${[first, ...others].join(', ')}; give more digits`);
  return first ?? given;
}

function comparison(given: unknown): ComparedFrom & { readonly a: string; readonly b: string; readonly limit: number } {
  const args = RequestArguments.of(given);
  const [a, b, limit] = [args.text('a')?.toLowerCase(), args.text('b')?.toLowerCase(), args.whole('limit', 1, MAX_ROWS) ?? DEFAULT_ROWS];
  if (a === undefined || b === undefined) throw invalidArgument('a and b must be the ids of the two traces');
  const [aSpan, bSpan] = [args.text('aSpan')?.toLowerCase(), args.text('bSpan')?.toLowerCase()];
  if ((aSpan === undefined) !== (bSpan === undefined)) throw invalidArgument('aSpan and bSpan go together: the span of each trace to compare from');
  return { a, b, aSpan, bSpan, limit };
}

function stepFailures(store: TelemetryStore, query: AdminRequest['query']): { readonly items: readonly StepFailure[] } {
  const args = RequestArguments.of(query);
  const step = args.text('step');
  if (step === undefined) throw invalidArgument('step must be the name of a Step');
  return { items: failuresOf(store.spans, step, args.whole('limit', 1, MOST_FAILURES) ?? MOST_FAILURES) };
}

/** The spans of one trace; there is at least one. */
type Spans = readonly [SpanRecord, ...SpanRecord[]];

function spansOf(store: TelemetryStore, traceId: string): Spans | undefined {
  const [first, ...others] = store.spansOf(traceId);
  return first && [first, ...others];
}

async function asOtlp(spans: Spans, resource: Labels): Promise<AdminStream> {
  const { otlpFile } = await import('../export/otlp-file.js');
  return new AdminStream('application/json', [otlpFile(spans, resource)], `trace-${spans[0].traceId.slice(0, SHORT_ID)}.otlp.json`);
}

function rowLimit(query: AdminRequest['query']): number {
  return RequestArguments.of(query).whole('limit', 1, MAX_ROWS) ?? DEFAULT_ROWS;
}

function childQuery(query: AdminRequest['query']): { readonly parent: string | undefined; readonly limit: number; readonly cursor: number } {
  const args = RequestArguments.of(query);
  return { parent: args.text('parent'), limit: args.whole('limit', 1, DEFAULT_ROWS) ?? MAX_CHILDREN, cursor: args.whole('cursor', 0, FOREVER) ?? 0 };
}

function page(rows: readonly SpanRow[], limit: number, from: number): { readonly items: readonly SpanRow[]; readonly total: number; readonly cursor?: number } {
  const next = from + limit;
  return { items: rows.slice(from, next), total: rows.length, ...next < rows.length ? { cursor: next } : {} };
}
