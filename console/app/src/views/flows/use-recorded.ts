import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { TracePage } from '../../api/types.generated.js';
import type { ApiError } from '../../api/client.js';
import { asking, useApi } from '../../api/use-api.js';
import type { Answered } from '../../parts/data-state.js';
import { type Busy, busyTimes } from './recorded.js';

/** Traces whose spans are asked for; the window is theirs. */
export const MOST_TRACES = 40;
const MOST_SPANS = 2_000;

/** When the nodes of the flow were busy, as far as is known. */
export interface Recorded {
  readonly times: readonly Busy[];
  readonly page: Answered<TracePage>;
  /** Traces whose spans are not there yet. */
  readonly loading: number;
  /** Those whose spans could not be had, and why one of them could not. */
  readonly failed: number;
  readonly error: ApiError | undefined;
  /** Asks for those again. */
  readonly again: () => void;
}

/** In the latest traces or those of a window. */
export function useRecorded(enabled: boolean, from: string, to: string): Recorded {
  const page = useApi('GET /traces', { limit: MOST_TRACES, from, to, q: '-trigger:stream.declaration' }, { enabled, keep: true });
  const items = page.data?.items ?? [];
  const views = useQueries({ queries: items.map(({ traceId }) => asking('GET /traces/{id}', { id: traceId, limit: MOST_SPANS }, { enabled })) });
  const loaded = views.filter(({ data }) => data !== undefined).length;
  const times = useMemo(() => views.flatMap(({ data }) => (data ? busyTimes(data.rows) : [])), [loaded, items]);
  const broken = views.filter(({ data, error }) => data === undefined && error);
  return { times, page, loading: views.filter(({ isPending }) => isPending).length, failed: broken.length, error: broken[0]?.error ?? undefined, again: () => broken.forEach(({ refetch }) => void refetch()) };
}
