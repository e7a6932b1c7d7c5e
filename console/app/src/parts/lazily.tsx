import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { live } from '../live/live-client.js';
import { Loading } from './data-state.js';

const AGAIN_MS = 500;
/** Failures with an engine that answers, after which the file is not there. */
const TRIES = 3;

/** What became of the code of a component. */
interface Loaded<P> {
  readonly Component?: ComponentType<P> | undefined;
  readonly error?: Error;
}

/** A component whose code may not be there yet. */
export interface Lazy<P> {
  (props: P): ReactNode;
  /** Loads the code before the component is drawn. */
  begin(): void;
}

/**
 * A component whose code is loaded when it is first drawn, or begun. Until then bars stand in its place, or nothing without `what`. While the engine is gone it
 * waits for it. Not by `lazy` and `Suspense`: React draws what a fallback gives way to 300 ms after the fallback, which the first look at each view would wait for.
 */
export function lazily<P extends object>(load: () => Promise<{ readonly default: ComponentType<P> }>, what?: string): Lazy<P> {
  let known: ComponentType<P> | undefined;
  let loading: Promise<ComponentType<P>> | undefined;
  const loaded = (): Promise<ComponentType<P>> => loading ??= patiently(load).then((module) => known = module.default).finally(() => void (loading = undefined));
  function Lazily(props: P): ReactNode {
    const [{ Component, error }, setLoaded] = useState<Loaded<P>>({ Component: known });
    useEffect(() => {
      if (!Component) loaded().then((found) => setLoaded({ Component: found }), (error: Error) => setLoaded({ error }));
    }, []);
    if (error !== undefined) throw error;
    if (Component) return <Component {...props} />;
    return what === undefined ? null : <Loading what={what} />;
  }
  // Who draws it is told what went wrong.
  return Object.assign(Lazily, { begin: () => void loaded().catch(() => undefined) });
}

async function patiently<T>(load: () => Promise<T>): Promise<T> {
  for (let failures = 0; ;) {
    try {
      return await load();
    } catch (error) {
      if (live.status !== 'gone') failures += 1;
      if (failures >= TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}
