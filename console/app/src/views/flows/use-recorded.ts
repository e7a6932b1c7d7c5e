import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { TracePage } from '../../api/types.generated.js';
import { asking, useApi } from '../../api/use-api.js';
import { type Busy, busyTimes } from './recorded.js';

/** Traces whose spans are asked for; the window is theirs. */
export const MOST_TRACES = 40;
const MOST_SPANS = 2_000;

/** When the nodes of the flow were busy, in the latest traces or those of a window. */
export function useRecorded(enabled: boolean, from: string, to: string): { readonly times: readonly Busy[]; readonly traces: TracePage['items']; readonly total: number } {
  const page = useApi('GET /traces', { limit: MOST_TRACES, from, to, q: '-trigger:stream.declaration' }, { enabled, keep: true });
  const items = page.data?.items ?? [];
  const views = useQueries({ queries: items.map(({ traceId }) => asking('GET /traces/{id}', { id: traceId, limit: MOST_SPANS }, { enabled })) });
  const loaded = views.filter(({ data }) => data !== undefined).length;
  const times = useMemo(() => views.flatMap(({ data }) => (data ? busyTimes(data.rows) : [])), [loaded, items]);
  return { times, traces: items, total: page.data?.total ?? 0 };
}
