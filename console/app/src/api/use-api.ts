import { type InfiniteData, QueryClient, type QueryKey, useInfiniteQuery, type UseInfiniteQueryResult, useQuery, type UseQueryOptions, type UseQueryResult } from '@tanstack/react-query';
import { ApiError, send } from './client.js';
import { type AnswerOf, type Arguments, type Asked, type ReadId, type ReadPath, requestOf } from './operations.js';

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

/** One answer of the API, shared by all who ask the same. */
export function useApi<I extends ReadId>(id: I, ...[given, options]: Asked<I, ApiOptions<AnswerOf<I>>>): UseQueryResult<AnswerOf<I>, ApiError> {
  return useQuery(asking(id, given ?? {} as Arguments<I>, options));
}

/** The same for `useQueries`. */
export function asking<I extends ReadId>(id: I, given: Arguments<I>, { enabled = true, keep = false, every }: ApiOptions<AnswerOf<I>> = {}): UseQueryOptions<AnswerOf<I>, ApiError> {
  return {
    queryKey: [id, given], enabled, queryFn: ({ signal }) => send(requestOf(id, given), { signal }) as Promise<AnswerOf<I>>,
    ...every && { refetchInterval: ({ state }: { readonly state: { readonly data: AnswerOf<I> | undefined } }) => every(state.data) },
    ...keep && { placeholderData: (former: AnswerOf<I> | undefined) => former as never },
  };
}

/** Asks before anybody is drawn who shows the answer. */
export function askEarly<I extends ReadId>(id: I, ...[given]: Asked<I, never>): void {
  void queryClient.prefetchQuery(asking(id, given ?? {} as Arguments<I>));
}

/** Those whose answers come page by page. */
type PagedId = { [I in ReadId]: AnswerOf<I> extends { readonly items: readonly unknown[]; readonly cursor?: string } ? I : never }[ReadId];

/** A list of the API, page by page as it is asked for. */
export function usePages<I extends PagedId>(id: I, given: Arguments<I>): UseInfiniteQueryResult<InfiniteData<AnswerOf<I>>, ApiError> {
  return useInfiniteQuery<AnswerOf<I>, ApiError, InfiniteData<AnswerOf<I>>, QueryKey, string | undefined>({
    queryKey: [id, given, 'pages'], initialPageParam: undefined, getNextPageParam: (last) => (last as { readonly cursor?: string }).cursor,
    queryFn: ({ pageParam, signal }) => send(requestOf(id, { ...given, cursor: pageParam }), { signal }) as Promise<AnswerOf<I>>,
  });
}

/** An answer of a route of a plugin; its path is below `/api/v1`. */
export function useRoute<T>(path: string): UseQueryResult<T, ApiError> {
  return useQuery<T, ApiError>({ queryKey: [`GET ${path}`, {}], queryFn: ({ signal }) => send({ method: 'GET', path }, { signal }) as Promise<T> });
}

/**
 * Asks anew: of a path for everything that is read there and below, of an operation for its answers alone; in both cases only with these arguments,
 * where some are given.
 */
export function refresh(what: ReadId | ReadPath, given: Readonly<Record<string, string>> = {}): void {
  const meant = what.startsWith('GET ') ? (id: string) => id === what : (id: string) => id.startsWith(`GET ${what}`);
  const fits = (asked: Readonly<Record<string, unknown>>): boolean => Object.entries(given).every(([name, value]) => asked[name] === value);
  void queryClient.invalidateQueries({ predicate: ({ queryKey: [id, asked] }) => meant(String(id)) && fits(asked as Readonly<Record<string, unknown>>) });
}

/** Asks again for all that is shown and could not be had: what kept one answer often kept others. */
export function askFailedAgain(): void {
  void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' }, { cancelRefetch: false });
}

/** Asks anew for what a route of a plugin answers. */
export function refreshRoute(path: string): void {
  void queryClient.invalidateQueries({ queryKey: [`GET ${path}`] });
}
