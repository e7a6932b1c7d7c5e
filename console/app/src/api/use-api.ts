import { QueryClient, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ApiError, call, type Query } from './client.js';
import type { PlainAnswers } from './types.generated.js';

const STALE_MS = 2_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_MS, gcTime: 300_000, refetchOnWindowFocus: false,
      retry: (count, error) => error instanceof ApiError && error.code === 'unreachable' && count < 2,
    },
  },
});

/** How an answer is asked for. */
export interface ApiOptions<T> {
  readonly enabled?: boolean;
  /** Shows the former answer until the next one is there. */
  readonly keep?: boolean;
  /** Milliseconds until it is asked again; false when no more. For what no live topic tells. */
  readonly every?: (data: T | undefined) => number | false;
}

/** One answer of the API, shared by all who ask the same. `path` is below `/api/v1`; of one with parameters the type is to be said. */
export function useApi<P extends keyof PlainAnswers>(path: P, query?: Query, options?: ApiOptions<PlainAnswers[P]>): UseQueryResult<PlainAnswers[P], ApiError>;
export function useApi<T>(path: string, query?: Query, options?: ApiOptions<T>): UseQueryResult<T, ApiError>;
export function useApi<T>(path: string, query: Query = {}, { enabled = true, keep = false, every }: ApiOptions<T> = {}): UseQueryResult<T, ApiError> {
  return useQuery<T, ApiError>({
    queryKey: [path, query], enabled, queryFn: ({ signal }) => call<T>(path, { query, signal }), ...every && { refetchInterval: ({ state }: { readonly state: { readonly data: T | undefined } }) => every(state.data) }, ...keep && { placeholderData: (former: T | undefined) => former as never },
  });
}

/** Asks anew for everything whose path begins so. */
export function refresh(...prefixes: readonly string[]): void {
  void queryClient.invalidateQueries({ predicate: ({ queryKey }) => prefixes.some((prefix) => String(queryKey[0]).startsWith(prefix)) });
}
