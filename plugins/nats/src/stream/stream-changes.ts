import type { Json, PendingStreamChange } from '@treadle/api';
import type { Stored } from '../store/jet-log.js';
import { decodeMessage } from './group-message.js';
import type { StreamPlaces } from './stream-places.js';

export type StreamChange = PendingStreamChange & { readonly bytes: number };

/** The changes for triggers of a group's message. */
export function changesOf(message: Stored, places: StreamPlaces): readonly StreamChange[] {
  const found: StreamChange[] = [];
  for (const { id, kind, text, origin } of decodeMessage(message.text).events) {
    if (id === undefined || origin === undefined || kind === 'event') continue;
    found.push({
      id: `${message.seq}.${found.length}`, ...places.namesOf(message.subject), itemId: id, type: kind, text, bytes: text.length, origin,
      get data(): Json {
        return JSON.parse(text) as Json;
      },
    });
  }
  return found;
}
