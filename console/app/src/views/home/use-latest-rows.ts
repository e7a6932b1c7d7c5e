import type { SpanRow, TraceSummary } from '../../api/types.generated.js';
import { refresh, useApi } from '../../api/use-api.js';
import { useLive } from '../../live/use-live.js';

/** More than the first run of an application has. */
const MOST = 500;

/** Spans of a trace as they come; none while there is no trace, or its spans are not there yet. */
export function useLatestRows(latest: TraceSummary | undefined): readonly SpanRow[] {
  const [enabled, id] = [latest !== undefined, latest?.traceId ?? ''];
  useLive('traces', { q: `trace:${id}` }, { events: () => refresh('GET /traces/{id}', { id }) }, enabled);
  return useApi('GET /traces/{id}', { id, limit: MOST }, { enabled, keep: true }).data?.rows ?? [];
}
