import type { StreamEvent, StreamGroupPage } from '../../api/types.generated.js';

/** What a list of events has: events, and where some are missing. */
export type Shown = StreamEvent | { readonly missing: string; readonly key: string };

/** A version of an item; without a value there was none. Undefined: it is not known. */
export type Version = { readonly value?: unknown } | undefined;

/** How the item of an event was before it, by the events that came earlier (the newest first) and by the items that were read before. */
export function beforeOf(event: StreamEvent, events: readonly Shown[], known: StreamGroupPage | undefined): Version {
  if (event.event.type === 'create') return {};
  for (const one of events.slice(events.indexOf(event) + 1)) {
    if ('missing' in one) return undefined;
    if (one.id !== event.id || one.event.type === 'event') continue;
    return one.event.type === 'delete' ? {} : { value: one.event.data };
  }
  if (known?.epoch !== event.epoch || known.seq >= event.seq) return undefined;
  const item = known.items.find(({ id }) => id === event.id);
  return item ? { value: item.value } : undefined;
}
