import { setImmediate as turn } from 'node:timers/promises';
import type { DeadLetter, DeadLetterPage, DeadLetterSelection, QueueAdapter } from '@treadle/api';

/** Most letters that one question looks at. */
export const MOST_LOOKED_AT = 5_000;
/** Most characters of payload of one question; up to a page more where letters are large. */
const MOST_LENGTH = 16_000_000;
/** Letters that are in memory together: each may hold a message of the greatest size. */
const PAGE = 100;

interface LetterSearch {
  readonly limit: number;
  readonly cursor: string | undefined;
  fits(letter: DeadLetter): boolean;
}

/** Letters that fit, the latest first, and at how many it looked. A turn of the event loop reads one page. */
export async function searchLetters(adapter: QueueAdapter, selection: DeadLetterSelection, { limit, cursor: from, fits }: LetterSearch): Promise<DeadLetterPage & { readonly examined: number }> {
  const items: DeadLetter[] = [];
  let [examined, length, cursor] = [0, 0, from];
  do {
    if (examined > 0) await turn();
    const page = await adapter.deadLetters(selection, { limit: PAGE, cursor });
    const taken = upTo(page.items, limit - items.length, fits);
    items.push(...taken.filter(fits));
    examined += taken.length;
    length += taken.reduce((sum, { data }) => sum + data.length, 0);
    // Where a page is left in its middle the store says what its cursor is there; a letter that has died meanwhile makes it show one twice, none is left out.
    ({ cursor } = taken.length < page.items.length ? await adapter.deadLetters(selection, { limit: taken.length, cursor }) : page);
  } while (cursor !== undefined && items.length < limit && examined < MOST_LOOKED_AT && length < MOST_LENGTH);
  return { items, examined, ...cursor !== undefined && { cursor } };
}

/** The letters up to and with the last one that is wanted. */
function upTo(letters: readonly DeadLetter[], wanted: number, fits: (letter: DeadLetter) => boolean): readonly DeadLetter[] {
  let found = 0;
  const last = letters.findIndex((letter) => fits(letter) && (found += 1) === wanted);
  return last < 0 ? letters : letters.slice(0, last + 1);
}
