import { type LogFilter, ringTest } from './log-filter.js';
import { LOG_FORMATS, type LogFormat } from './log-format.js';
import type { LogRing } from './log-ring.js';
import { shown } from './log-search.js';

/** What is put together before it is sent, in characters. */
const PIECE = 64 * 1024;

/**
 * All records so far that pass, the oldest first, by default as JSON lines. Reads on when the client has taken what came before and keeps no
 * record for it meanwhile: where some were let go before they were read, `{"dropped":n}` says how many, whether they would have passed or not.
 */
export function* exportLogs(ring: LogRing, filter: LogFilter, format: LogFormat = LOG_FORMATS.ndjson): Generator<string> {
  const { end } = ring;
  const passes = ringTest(ring, filter);
  let text = format.head;
  for (let id = ring.oldest; id < end; id += 1) {
    const gone = Math.min(ring.oldest, end) - id;
    if (gone > 0) {
      text += format.dropped(gone);
      id += gone - 1;
    } else if (passes(id)) text += format.record(shown({ id, record: ring.record(id) }));
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}
