import { useApi } from '../../api/use-api.js';
import { bytes } from '../../format/numbers.js';
import { Answer, Empty } from '../../parts/data-state.js';
import table from '../../parts/table.module.css';
import { Time } from '../../parts/time.js';

/** The clients that are connected and what they follow. */
export function Connections() {
  const answer = useApi('GET /streams/connections');
  // Other stream modules may not tell their clients.
  if (answer.error?.status === 404) return <Empty title="Choose a group"><p>Its items and events are shown as they change.</p></Empty>;
  return (
    <Answer of={answer} what="connections">
      {({ items }) => (items.length === 0 ? <Empty title="No client is connected"><p>Choose a group to see its items, or connect a client:</p><pre>{"const board = client.subscribe('board', 'open');"}</pre></Empty> : (
        <div className={table.scroll} tabIndex={0} role="region" aria-label="Connections">
          <table className={table.table}>
            <thead><tr><th>Client</th><th>Since</th><th className={table.num}>Waiting for it</th><th>Follows</th></tr></thead>
            <tbody>{items.map(({ id, address, since, waitingBytes, subscriptions }) => <tr key={id}><td className="mono">{address}</td><td><Time at={since} /></td><td className={table.num}>{bytes(waitingBytes)}</td><td className="mono">{subscriptions.map(({ stream, group, id: item }) => [stream, group, item].filter(Boolean).join('/')).join(', ')}</td></tr>)}</tbody>
          </table>
        </div>
      ))}
    </Answer>
  );
}
