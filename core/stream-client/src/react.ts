import { createContext, createElement, type ReactElement, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { acquire, keyOf, peek } from './shared-subscriptions.js';
import type { StreamClient } from './stream-client.js';
import type { StreamItem, StreamView, SubscriptionStatus } from './subscription.js';
import type { StreamTarget } from './wire.js';

const Context = createContext<StreamClient | undefined>(undefined);
const NOTHING: StreamView<never> = { items: [], status: 'connecting' };

/** What the hooks give beside the data. */
export interface StreamState {
  readonly status: SubscriptionStatus;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

/** Gives the client to the components below. */
export function StreamProvider({ client, children }: { readonly client: StreamClient; readonly children?: ReactNode }): ReactElement {
  return createElement(Context.Provider, { value: client }, children);
}

/** The client of the nearest `StreamProvider`. @throws Error without one */
export function useStreamClient(): StreamClient {
  const client = useContext(Context);
  if (!client) throw new Error('there is no StreamProvider above this component');
  return client;
}

/** The items of a group, kept up to date. Components that follow the same group share one subscription. */
export function useStreamGroup<T = unknown>(
  { streamName, groupId }: Pick<StreamTarget, 'streamName' | 'groupId'>,
): StreamState & { readonly data: readonly T[]; readonly items: readonly StreamItem<T>[] } {
  const { items, status, error } = useView<T>({ streamName, groupId });
  const data = useMemo(() => items.map((item) => item.data), [items]);
  return { data, items, status, error };
}

/** One item of a group, kept up to date; null while there is none. */
export function useStreamItem<T = unknown>(target: StreamTarget & { readonly id: string }): StreamState & { readonly data: T | null } {
  const { items: [item], status, error } = useView<T>(target);
  return { data: item ? item.data : null, status, error };
}

/** Calls the newest `handler` for each event of a type that is sent to a group or item. */
export function useStreamEvent<D = unknown>(target: StreamTarget, type: string, handler: (data: D, id: string | undefined) => void): void {
  const client = useStreamClient();
  const newest = useRef(handler);
  useEffect(() => {
    newest.current = handler;
  });
  const key = keyOf(target);
  useEffect(() => {
    const { subscription, release } = acquire(client, targetOf(key));
    const leave = subscription.onEvent((signal, id) => {
      if (signal.type === type) newest.current(signal.data as D, id);
    });
    return () => {
      leave();
      release();
    };
  }, [client, key, type]);
}

function useView<T>(target: StreamTarget): StreamView<T> {
  const client = useStreamClient();
  const key = keyOf(target);
  const subscribe = useCallback((changed: () => void) => {
    const { subscription, release } = acquire(client, targetOf(key));
    const leave = subscription.onChange(changed);
    return () => {
      leave();
      release();
    };
  }, [client, key]);
  const view = (): StreamView<T> => (peek(client, targetOf(key))?.view ?? NOTHING) as StreamView<T>;
  return useSyncExternalStore(subscribe, view, nothing);
}

/** What a server renders; a page that takes over has to begin with the same, also when another part of it is live already. */
function nothing(): StreamView<never> {
  return NOTHING;
}

function targetOf(key: string): StreamTarget {
  const [streamName, groupId, id] = JSON.parse(key) as [string, string, string | null];
  return { streamName, groupId, ...(id === null ? {} : { id }) };
}
