import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { TextSpan } from '../api/types.generated.js';
import { live, type LiveFault, type LiveSink, type LiveStatus, type LiveTopic } from './live-client.js';

export function useLiveStatus(): LiveStatus {
  return useSyncExternalStore((listener) => live.onStatus(listener), () => live.status);
}

/** What is not up to date although the engine is there. */
export function useLiveFaults(): readonly LiveFault[] {
  return useSyncExternalStore((listener) => live.onStatus(listener), () => live.faults);
}

/** Follows a topic while the component is there; without `enabled` it does not. */
export function useLive(topic: LiveTopic, query: Readonly<Record<string, string>>, sink: LiveSink, enabled = true): void {
  const current = useRef(sink);
  current.current = sink;
  const key = JSON.stringify(query);
  useEffect(() => {
    if (!enabled) return undefined;
    return live.subscribe(topic, JSON.parse(key) as Record<string, string>, {
      snapshot: (data) => current.current.snapshot?.(data), events: (events) => current.current.events?.(events),
      gap: (dropped) => current.current.gap?.(dropped), resumed: (newEngine) => current.current.resumed?.(newEngine),
      ...current.current.since && { since: () => current.current.since?.() ?? '' },
      ...current.current.ended && { ended: (code: string, detail: string, at?: TextSpan) => current.current.ended?.(code, detail, at) },
    });
  }, [topic, key, enabled]);
}
