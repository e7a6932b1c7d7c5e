import { type LogFilter, ringTest } from './log-filter.js';
import type { LogRing } from './log-ring.js';
import { shown } from './log-search.js';

/** What is put together before it is sent, in characters. */
const PIECE = 64 * 1024;

/**
 * All records so far that pass, the oldest first, as JSON lines. Reads on when the client has taken what came before and keeps no
 * record for it meanwhile: where some were let go before they were read, `{"dropped":n}` says how many, whether they would have passed or not.
 */
export function* exportLogs(ring: LogRing, filter: LogFilter): Generator<string> {
  const { end } = ring;
  const passes = ringTest(ring, filter);
  let text = '';
  for (let id = ring.oldest; id < end; id += 1) {
    const gone = Math.min(ring.oldest, end) - id;
    if (gone > 0) {
      text += `{"dropped":${gone}}\n`;
      id += gone - 1;
    } else if (passes(id)) text += `${JSON.stringify(shown({ id, record: ring.record(id) }))}\n`;
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}
