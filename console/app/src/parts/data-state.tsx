import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ApiError } from '../api/client.js';
import { Button, classes } from './controls.js';
import css from './data-state.module.css';

const WIDTHS = ['62%', '88%', '45%', '71%', '80%', '38%'];

export function Loading({ what }: { readonly what: string }) {
  return (
    <div className={css.bars} role="status" aria-label={`Loading ${what}`}>
      {WIDTHS.map((width) => <div key={width} className={css.bar} style={{ width }} />)}
    </div>
  );
}

/** Nothing is there because nothing happened: says what would make something happen. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return <div className={css.state} role="status"><h2>{title}</h2>{children}</div>;
}

/** Nothing is there because of the query; one click drops it. */
export function Filtered({ what, onDrop, query }: { readonly what: string; readonly query: string; readonly onDrop: () => void }) {
  return (
    <div className={css.state} role="status">
      <h2>No {what} match this query</h2>
      <p className="mono">{query}</p>
      <Button onClick={onDrop}>Show all {what}</Button>
    </div>
  );
}

/** The engine refused or did not answer; never shown as "nothing there". */
export function Failed({ what, error, onRetry }: { readonly what: string; readonly error: ApiError; readonly onRetry?: () => void }) {
  return (
    <div className={classes(css.state, css.failed)} role="alert">
      <h2>Could not load {what}</h2>
      <p>{error.message}</p>
      <p className="muted mono">{error.code}{error.status > 0 && ` · HTTP ${error.status}`}</p>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
      {error.raw && <details><summary className="muted">Raw answer</summary><pre>{error.raw}</pre></details>}
    </div>
  );
}

/** An answer, or why there is none. */
export type Answered<T> = Pick<UseQueryResult<T, ApiError>, 'data' | 'error' | 'refetch'>;

/** Draws an answer, or that it is on its way, or why there is none. What was there stays with a mark when a refresh fails. */
export function Answer<T>({ of, what, children }: { readonly of: Answered<T>; readonly what: string; readonly children: (data: T) => ReactNode }) {
  const { data, error, refetch } = of;
  const retry = (): void => void refetch();
  if (data === undefined) return error ? <Failed what={what} error={error} onRetry={retry} /> : <Loading what={what} />;
  return <>{error && <Note>Not up to date: {error.message} <Button look="plain" onClick={retry}>Try again</Button></Note>}{children(data)}</>;
}

/** A line that limits what is shown: sampling, eviction, truncation. */
export function Note({ children }: { readonly children: ReactNode }) {
  return <div className={css.note} role="note"><span aria-hidden="true">▲</span>{children}</div>;
}
