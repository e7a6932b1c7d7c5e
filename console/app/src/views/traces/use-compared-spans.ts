import type { TraceView } from '../../../../src/contract/index.js';
import { useApi } from '../../api/use-api.js';

/** Spans of two traces that are to be compared; undefined until both are there. */
export interface ComparedSpans {
  readonly aSpan?: string;
  readonly bSpan?: string;
}

const LIMIT = 20_000;
const ASK_MS = 500;

/** The last run of a Step in each of two traces; without a Step the whole traces are meant. */
export function useComparedSpans(a: string, b: string, step: string): ComparedSpans | undefined {
  const aSpan = useLastRun(a, step);
  const bSpan = useLastRun(b, step);
  if (step === '') return {};
  return aSpan !== undefined && bSpan !== undefined ? { aSpan, bSpan } : undefined;
}

/** A replay has just begun when this is asked: until its run has ended it is asked again. */
function useLastRun(traceId: string, step: string): string | undefined {
  const { data } = useApi<TraceView>(`/traces/${traceId}`, { limit: LIMIT }, { enabled: step !== '', every: (view) => (lastRun(view, step) === undefined ? ASK_MS : false) });
  return lastRun(data, step);
}

function lastRun(view: TraceView | undefined, step: string): string | undefined {
  return view?.rows.filter(({ kind, stepName }) => stepName === step && (kind === 'consumer' || kind === 'server')).at(-1)?.spanId;
}
