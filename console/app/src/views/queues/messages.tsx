import type { QueueMessage } from '../../api/types.generated.js';
import { usePages } from '../../api/use-api.js';
import { Pairs } from '../../parts/controls.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Empty } from '../../parts/data-state.js';
import { Found } from '../../parts/found.js';
import { JsonTree, preview } from '../../parts/json-tree.js';
import { conditionsFrom } from '../../parts/paths-of.js';
import { TraceRef } from '../../parts/refs.js';
import { Time } from '../../parts/time.js';
import table from '../../parts/table.module.css';
import { Columns, Content, Inspector } from '../../parts/view.js';
import { useRowKeys } from '../../keys/use-row-keys.js';
import { useParam } from '../../url/location.js';
import { NoMessage } from './no-message.js';
import { writeJson } from '../../api/json.js';

const LIMIT = 100;
const EXAMPLE = 'customer.id:c-1 attempt:>1 error:*Timeout* age:>5m';
const FIELDS = ['has:error', 'attempt:>0', 'age:>5m', 'has:group', 'step:', 'id:', 'trace:', 'time:>'];

export const isWaitingTab = (tab: string): boolean => ['waiting', 'active', 'retrying'].includes(tab);

/** Messages that wait, run or are to be tried again. */
export function Messages({ topic, tab }: { readonly topic: string; readonly tab: string }) {
  const [chosen, choose] = useParam('msg');
  const [q] = useParam('q');
  const answer = usePages('GET /queues/search', { topic, state: tab, q, limit: LIMIT });
  const messages = answer.data?.pages.flatMap(({ items }) => items) ?? [];
  const at = messages.findIndex(({ messageId }) => messageId === chosen);
  useRowKeys(messages.length, at, { onMove: (to) => choose(messages[to]?.messageId ?? null, { replace: chosen !== '' }) });
  const selected = messages[at];
  return (
    <Columns>
      <Content>
        <Found what="messages" one="message" example={EXAMPLE} of={answer} suggestions={[...FIELDS, ...conditionsFrom(messages.map(({ data }) => data))]} empty={<Empty title={NOTHING[tab] ?? 'Nothing waits'} />}>
          {(items) => <Rows messages={items} chosen={chosen} onPick={choose} />}
        </Found>
      </Content>
      {selected ? (
        <Inspector title={<span className="mono">{selected.messageId}</span>} onClose={() => choose(null)}>
          <Pairs items={[['Consumer', selected.step], ['Attempts', selected.attempts], ['Enqueued', <Time key="at" at={selected.enqueuedAt} />], ['Trace', <TraceRef key="trace" id={selected.traceId} />], selected.groupId !== undefined && ['Group', selected.groupId]]} />
          <h3>Payload</h3><CopyButton text={() => writeJson(selected.data, 2)} /><JsonTree value={selected.data} />
          {selected.headers && <><h3>Headers</h3><JsonTree value={selected.headers} /></>}
        </Inspector>
      ) : chosen !== '' && !answer.isPending && <NoMessage id={chosen} onClose={() => choose(null)} />}
    </Columns>
  );
}

const NOTHING: Readonly<Record<string, string>> = { active: 'Nothing is being processed', retrying: 'Nothing waits for another attempt' };

function Rows({ messages, chosen, onPick }: { readonly messages: readonly QueueMessage[]; readonly chosen: string; readonly onPick: (id: string) => void }) {
  return (
    <div className={table.scroll} tabIndex={0} role="region" aria-label="Messages">
      <table className={table.table}>
        <thead><tr><th>Message</th><th>Consumer</th><th className={table.num}>Attempts</th><th className={table.narrow}>Enqueued</th><th className={table.narrow}>Next attempt</th><th>Payload</th></tr></thead>
        <tbody>{messages.map((message) => (
          <tr key={`${message.step} ${message.deliveryId}`} data-current={message.messageId === chosen} onClick={() => onPick(message.messageId)}>
            <td className="mono">{message.messageId}</td><td>{message.step}</td><td className={table.num}>{message.attempts}</td><td className={table.narrow}><Time at={message.enqueuedAt} /></td><td className={table.narrow}>{message.dueAt ? <Time at={message.dueAt} /> : '–'}</td><td className="mono">{preview(message.data, 80)}</td>
          </tr>
        ))}</tbody>
      </table>
    </div>
  );
}
