import { createContext, useContext } from 'react';
import type { LogPage, TraceCapture } from '../../api/types.generated.js';
import { useApi } from '../../api/use-api.js';
import type { Answered } from '../../parts/data-state.js';

const MOST_LOGS = 1_000;

/** The file that is shown; undefined where a trace of the engine is. */
export const CaptureContext = createContext<TraceCapture | undefined>(undefined);

export const useCapture = (): TraceCapture | undefined => useContext(CaptureContext);

/** Log records of the trace that is shown, the oldest first. */
export function useTraceLogs(traceId: string): Answered<LogPage> {
  const capture = useCapture();
  const kept = useApi('GET /logs', { traceId, limit: MOST_LOGS, order: 'asc' }, { enabled: capture === undefined });
  return capture ? { data: capture.logs, error: null, refetch: kept.refetch } : kept;
}
