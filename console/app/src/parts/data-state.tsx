import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ApiError } from '../api/client.js';
import { askFailedAgain } from '../api/use-api.js';
import { conditionsOf } from './conditions.js';
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

interface FilteredProps {
  readonly what: string;
  readonly query: string;
  readonly onDrop: () => void;
  /** Takes the query without one of its conditions, where it has several. */
  readonly onQuery?: (query: string) => void;
  /** Present where a range of time filters, too. */
  readonly onAllTimes?: (() => void) | undefined;
}

/** Nothing is there because of the query; one click drops it, or one of its conditions. */
export function Filtered({ what, onDrop, query, onQuery, onAllTimes }: FilteredProps) {
  const conditions = onQuery ? conditionsOf(query) : [query];
  const several = conditions.length + (onAllTimes ? 1 : 0) > 1;
  return (
    <div className={css.state} role="status">
      <h2>No {what} match this query</h2>
      <p className="mono">{[query, ...onAllTimes ? ['the range of time'] : []].filter(Boolean).join(', in ')}</p>
      <div className="row wrap">
        {several && onQuery && conditions.map((one, at) => <Button key={one} onClick={() => onQuery(conditions.filter((_, index) => index !== at).join(' '))}>Without <span className="mono">{one}</span></Button>)}
        {several && onAllTimes && <Button onClick={onAllTimes}>At all times</Button>}
        <Button onClick={onDrop}>Show all {what}</Button>
      </div>
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
export type Answered<T> = Pick<UseQueryResult<T, ApiError>, 'data' | 'error' | 'refetch'> & { readonly isPlaceholderData?: boolean };

/** Draws an answer, or that it is on its way, or why there is none. What was there stays with a mark when a refresh fails, and until another question is answered. */
export function Answer<T>({ of, what, children }: { readonly of: Answered<T>; readonly what: string; readonly children: (data: T) => ReactNode }) {
  const { data, error, refetch } = of;
  if (data === undefined) return error ? <Failed what={what} error={error} onRetry={() => void refetch()} /> : <Loading what={what} />;
  return <><Fault of={of} what={what} /><Former of={of} />{children(data)}</>;
}

/** Of an answer that others stand beside: that it is not there, or not up to date, and why. Nothing while all is well. */
export function Fault({ of: { data, error, refetch }, what }: { readonly of: Pick<Answered<unknown>, 'data' | 'error' | 'refetch'>; readonly what: string }) {
  const again = (): void => {
    void refetch();
    askFailedAgain();
  };
  return error && <Note>{data === undefined ? `Could not load ${what}` : 'Not up to date'}: {error.message} <Button look="plain" onClick={again}>Try again</Button></Note>;
}

/** Marks and dims what stands after it while that is of the former query. */
export function Former({ of: { isPlaceholderData = false } }: { readonly of: Pick<Answered<unknown>, 'isPlaceholderData'> }) {
  return isPlaceholderData && <div className={css.former} role="status">Of the former query; the answer is on its way</div>;
}

/** A line that limits what is shown: sampling, eviction, truncation. */
export function Note({ children }: { readonly children: ReactNode }) {
  return <div className={css.note} role="note"><span aria-hidden="true">▲</span>{children}</div>;
}
