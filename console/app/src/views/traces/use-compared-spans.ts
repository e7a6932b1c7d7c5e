import type { TraceView } from '../../api/types.generated.js';
import { useApi } from '../../api/use-api.js';
import type { Answered } from '../../parts/data-state.js';

/** Spans of two traces that are to be compared. */
export interface ComparedSpans {
  readonly aSpan?: string;
  readonly bSpan?: string;
}

const LIMIT = 20_000;
const ASK_MS = 500;

interface Compared {
  readonly a: string;
  readonly b: string;
  readonly step: string;
  readonly from: string;
}

interface Found {
  /** Undefined until both are there. */
  readonly spans: ComparedSpans | undefined;
  readonly first: Answered<TraceView>;
  readonly second: Answered<TraceView>;
}

/** The last run of a Step in each of two traces, or `from` and the run that repeats it; without a Step the whole traces are meant. */
export function useComparedSpans({ a, b, step, from }: Compared): Found {
  const find = from === '' ? lastRun : repeated;
  const [aSpan, first] = useRun(a, step, find, from === '');
  const [bSpan, second] = useRun(b, step, find, true);
  const begin = from === '' ? aSpan : from;
  return { first, second, spans: step === '' ? {} : begin !== undefined && bSpan !== undefined ? { aSpan: begin, bSpan } : undefined };
}

type Find = (rows: TraceView['rows'], step: string) => string | undefined;

/** A replay has just begun when this is asked: until its run has ended it is asked again. */
function useRun(traceId: string, step: string, find: Find, asks: boolean): readonly [string | undefined, Answered<TraceView>] {
  const found = (view: TraceView | undefined): string | undefined => view && find(view.rows, step);
  const answer = useApi('GET /traces/{id}', { id: traceId, limit: LIMIT }, { enabled: step !== '' && asks, every: (view) => (found(view) === undefined ? ASK_MS : false) });
  return [found(answer.data), answer];
}

const lastRun: Find = (rows, step) => rows.filter(({ kind, stepName }) => stepName === step && (kind === 'consumer' || kind === 'server')).at(-1)?.spanId;

const repeated: Find = (rows, step) => rows.find(({ name }) => name === `handler ${step}`)?.spanId;
