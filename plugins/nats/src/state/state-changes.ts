import type { Json, PendingChange } from '@treadle/api';
import type { JetLog, Stored } from '../store/jet-log.js';
import { keptOf } from './kept-entry.js';
import type { StatePlaces } from './state-place.js';

export type StateChange = PendingChange & { readonly bytes: number };

/** The one change of a message of state, with the value that it replaced, which is kept as long. */
export async function changesOf(message: Stored, log: JetLog, places: StatePlaces): Promise<readonly StateChange[]> {
  const { seq, revision, text: newText, old, origin } = keptOf(message);
  const replaced = old === undefined ? undefined : await log.at(old);
  const oldText = replaced && keptOf(replaced).text;
  const parsed = (text: string | undefined): Json | undefined => (text === undefined ? undefined : JSON.parse(text) as Json);
  return [{
    id: `${seq}.0`, ...places.namesOf(message.subject), revision, oldText, newText,
    get oldValue(): Json | undefined {
      return parsed(oldText);
    },
    get newValue(): Json | undefined {
      return parsed(newText);
    },
    bytes: (oldText?.length ?? 0) + (newText?.length ?? 0), ...origin !== undefined && { origin },
  }];
}
