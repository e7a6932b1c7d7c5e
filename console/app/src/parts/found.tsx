import type { ReactNode } from 'react';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ApiError } from '../api/client.js';
import { useParam } from '../url/location.js';
import { Failed, Fault, Filtered, Loading } from './data-state.js';
import { fitting, LookedAt } from './looked-at.js';
import { QueryBar } from './query-bar.js';
import css from './query-bar.module.css';

/** Pages that a query found. */
interface Pages<T> {
  readonly data: { readonly pages: readonly { readonly items: readonly T[]; readonly examined?: number; readonly headOnly?: true }[] } | undefined;
  readonly error: ApiError | null;
  readonly refetch: UseInfiniteQueryResult<unknown, ApiError>['refetch'];
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}

interface Props<T> {
  /** What is looked for, many of them and one. */
  readonly what: string;
  readonly one: string;
  readonly example: string;
  readonly of: Pages<T>;
  readonly suggestions: readonly string[];
  /** What is there instead of things where nothing happened. */
  readonly empty: ReactNode;
  /** Without a query the list asks for more by itself as it is scrolled. */
  readonly scrolls?: boolean;
  readonly children: (items: readonly T[]) => ReactNode;
}

/** The query of a list, how far it has looked, and what it found. The query is in the address as `q`. */
export function Found<T>({ what, one, example, of, suggestions, empty, scrolls = false, children }: Props<T>) {
  const [q, setQuery] = useParam('q');
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = of;
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const again = (): void => void of.refetch();
  const more = (): void => void (hasNextPage && !isFetchingNextPage && fetchNextPage());
  const headOnly = data?.pages.at(-1)?.headOnly === true;
  return (
    <>
      <div className={css.bar}><QueryBar value={q} onQuery={setQuery} label={`Query of ${what}`} example={example} suggestions={suggestions} error={error} /></div>
      {data && <Fault of={{ data, error, refetch: of.refetch }} what={what} />}
      {data && (q !== '' || (hasNextPage && !scrolls) || headOnly) && <LookedAt one={one} examined={data.pages.reduce((sum, { examined, items: own }) => sum + (examined ?? own.length), 0)} found={q === '' ? `${items.length} are listed` : fitting(items.length)} more={hasNextPage} headOnly={headOnly} busy={isFetchingNextPage} onMore={more} onAgain={again} />}
      {data === undefined ? error ? <Failed what={what} error={error} onRetry={again} /> : <Loading what={what} /> : items.length > 0 ? children(items)
        : !hasNextPage && (q === '' ? empty : <Filtered what={what} query={q} onDrop={() => setQuery(null)} onQuery={setQuery} />)}
    </>
  );
}
