import { call } from '../../api/client.js';
import type { StreamConnection } from '../../api/types.generated.js';
import { refresh, useApi } from '../../api/use-api.js';
import { bytes, count } from '../../format/numbers.js';
import { ActButton } from '../../parts/act-button.js';
import { Answer, Empty, Note } from '../../parts/data-state.js';
import table from '../../parts/table.module.css';
import { Time } from '../../parts/time.js';
import { attempt } from '../../parts/toasts.js';

const EVERY_MS = 5_000;

/** The clients that are connected and what they follow. */
export function Connections() {
  const answer = useApi('GET /streams/connections', {}, { every: () => EVERY_MS });
  // Other stream modules may not tell their clients.
  if (answer.error?.status === 404) return <Empty title="Choose a group"><p>Its items and events are shown as they change.</p></Empty>;
  return (
    <Answer of={answer} what="connections">
      {({ items, count: all }) => (items.length === 0 ? <Empty title="No client is connected"><p>Choose a group to see its items, or connect a client:</p><pre>{"const board = client.subscribe('board', 'open');"}</pre></Empty> : (
        <div className={table.scroll} tabIndex={0} role="region" aria-label="Connections">
          {all > items.length && <Note>The latest {items.length} of {count(all)} clients.</Note>}
          <table className={table.table}>
            <thead><tr><th>Client</th><th>Since</th><th className={table.num}>Waiting for it</th><th>Follows</th><td /></tr></thead>
            <tbody>{items.map((one) => <Connection key={one.id} of={one} />)}</tbody>
          </table>
        </div>
      ))}
    </Answer>
  );
}

function Connection({ of: { id, address, since, waitingBytes, subscriptions } }: { readonly of: StreamConnection }) {
  const disconnect = (): void => void attempt(() => call('DELETE /streams/connections/{id}', { id }), `The connection of ${address} is closed`).then(() => refresh('/streams'));
  const followed = subscriptions.map(({ stream, group, id: item }) => [stream, group, item].filter(Boolean).join('/')).join(', ');
  return (
    <tr>
      <td className="mono">{address}</td><td><Time at={since} /></td><td className={table.num}>{bytes(waitingBytes)}</td><td className="mono">{followed}</td>
      <td><ActButton look="danger" aria-label={`Disconnect ${address}`} title="Closes the connection with the code 4009; the client may connect again" onClick={disconnect}>Disconnect</ActButton></td>
    </tr>
  );
}
