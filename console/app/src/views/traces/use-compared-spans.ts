import type { TraceView } from '../../api/types.generated.js';
import { useApi } from '../../api/use-api.js';

/** Spans of two traces that are to be compared; undefined until both are there. */
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

/** The last run of a Step in each of two traces, or `from` and the run that repeats it; without a Step the whole traces are meant. */
export function useComparedSpans({ a, b, step, from }: Compared): ComparedSpans | undefined {
  const find = from === '' ? lastRun : repeated;
  const aSpan = useRun(a, step, find, from === '');
  const bSpan = useRun(b, step, find, true);
  if (step === '') return {};
  const first = from === '' ? aSpan : from;
  return first !== undefined && bSpan !== undefined ? { aSpan: first, bSpan } : undefined;
}

type Find = (rows: TraceView['rows'], step: string) => string | undefined;

/** A replay has just begun when this is asked: until its run has ended it is asked again. */
function useRun(traceId: string, step: string, find: Find, asks: boolean): string | undefined {
  const found = (view: TraceView | undefined): string | undefined => view && find(view.rows, step);
  const { data } = useApi('GET /traces/{id}', { id: traceId, limit: LIMIT }, { enabled: step !== '' && asks, every: (view) => (found(view) === undefined ? ASK_MS : false) });
  return found(data);
}

const lastRun: Find = (rows, step) => rows.filter(({ kind, stepName }) => stepName === step && (kind === 'consumer' || kind === 'server')).at(-1)?.spanId;

const repeated: Find = (rows, step) => rows.find(({ name }) => name === `handler ${step}`)?.spanId;
