import { invalidArgument, queryArgument, type QueryTest } from '@treadle/api';
import type { TraceGrouping } from '../spans/trace-groups.js';
import { type DoneSearch, doneTarget } from '../spans/done-messages.js';
import { position, type TraceConditions, type TraceQuery } from '../spans/trace-search.js';
import { type AskedTrace, TRACE_TARGET } from '../spans/trace-target.js';
import { RequestArguments } from './request-arguments.js';

const MAX_PAGE = 500;
const DEFAULT_PAGE = 50;
const FOREVER = Number.MAX_SAFE_INTEGER;
const CONDITIONS = ['q', 'step', 'route', 'status', 'text', 'minDurationMs', 'maxDurationMs', 'from', 'to', 'attributes'];
/** What a search takes, and what a grouping takes. */
export const SEARCH = [...CONDITIONS, 'limit', 'cursor'];
export const GROUPING = [...CONDITIONS, 'by', 'limit'];
/** What a search for done messages takes. */
export const DONE = ['topic', 'q', 'limit', 'cursor'];
/** Changes of state and streams have no topic; their spans have these names in its place. */
const CHANGES = ['state changes', 'stream changes'];

/** The query that a request has. */
export function asked(args: RequestArguments): QueryTest<AskedTrace> | undefined {
  return queryArgument(args.text('q'), TRACE_TARGET);
}

/** Without what `q` says. @throws AdminError 400 */
export function traceQuery(given: unknown): TraceQuery {
  const args = RequestArguments.of(given);
  const cursor = args.text('cursor');
  if (cursor !== undefined && !position(cursor)) throw invalidArgument('cursor must be one that a former page gave');
  return { ...conditions(args), limit: args.whole('limit', 1, MAX_PAGE) ?? DEFAULT_PAGE, cursor };
}

/** By what traces are grouped, and which. @throws AdminError 400 */
export function traceGrouping(given: unknown): TraceGrouping {
  const args = RequestArguments.of(given);
  const by = args.text('by');
  if (by === undefined) throw invalidArgument('by must be the field whose values are wanted, such as step or http.route');
  return { ...conditions(args), by, asked: asked(args)?.test, limit: args.whole('limit', 1, MAX_PAGE) ?? DEFAULT_PAGE };
}

/** Which done messages are asked for. @throws AdminError 400 */
export function doneSearch(given: unknown, now: number): DoneSearch {
  const args = RequestArguments.of(given);
  const topic = args.text('topic') ?? '';
  return { topics: topic === '' ? CHANGES : [topic], fits: queryArgument(args.text('q'), doneTarget(now))?.test, limit: args.whole('limit', 1, MAX_PAGE) ?? DEFAULT_PAGE, before: args.whole('cursor', 0, FOREVER) };
}

function conditions(args: RequestArguments): TraceConditions {
  return {
    step: args.text('step'), route: args.text('route'), status: args.oneOf('status', ['ok', 'error']), text: args.text('text'),
    minDurationMs: args.number('minDurationMs', 0, FOREVER), maxDurationMs: args.number('maxDurationMs', 0, FOREVER),
    from: args.time('from'), to: args.time('to'), attributes: args.map('attributes'),
  };
}
