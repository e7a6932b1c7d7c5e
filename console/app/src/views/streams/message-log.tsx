import type { JoinEvent } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';
import { bytes } from '../../format/numbers.js';
import { preview } from '../../parts/json-tree.js';
import css from './join-panel.module.css';

const MARKS: Readonly<Record<JoinEvent['type'], string>> = { connecting: '·', refused: '■', connected: '·', sent: '→', received: '←', closed: '■' };

/** Both directions of a connection, with the time from its beginning. */
export function MessageLog({ events }: { readonly events: readonly JoinEvent[] }) {
  const from = events[0]?.at ?? 0;
  return (
    <ol className={css.log} aria-label="Messages" tabIndex={0}>
      {events.map((event, at) => <li key={at} className={css.line}><span className="muted num">+{duration(event.at - from)}</span><span aria-hidden="true">{MARKS[event.type]}</span><span>{wordsOf(event)}</span></li>)}
    </ol>
  );
}

function wordsOf(event: JoinEvent): string {
  switch (event.type) {
    case 'connecting': return `connects to ${event.address}${event.origin === undefined ? ', as no web page' : `, as a page of ${event.origin}`}`;
    case 'refused': return `not accepted, ${event.status}: ${event.detail}`;
    case 'connected': return 'connected';
    case 'sent': return preview(event.message, 2_000);
    case 'received': return `${preview(event.message, 2_000)} (${bytes(event.bytes)})`;
    case 'closed': return `closed, ${event.code} ${event.reason}`;
  }
}
