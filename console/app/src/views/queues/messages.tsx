import { useQueries } from '@tanstack/react-query';
import type { QueueInfo, QueueMessage } from '../../api/types.generated.js';
import type { ApiError } from '../../api/client.js';
import { asking } from '../../api/use-api.js';
import { Pairs } from '../../parts/controls.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Empty, Failed, Loading } from '../../parts/data-state.js';
import { JsonTree, preview } from '../../parts/json-tree.js';
import { Time } from '../../parts/time.js';
import table from '../../parts/table.module.css';
import { Columns, Content, Inspector } from '../../parts/view.js';
import { useRowKeys } from '../../keys/use-row-keys.js';
import { useParam } from '../../url/location.js';
import { NoMessage } from './no-message.js';
import { writeJson } from '../../api/json.js';

const LIMIT = 100;
const REFRESH_MS = 3_000;

export const isWaitingTab = (tab: string): boolean => ['waiting', 'active', 'retrying'].includes(tab);

/** Messages that wait, run or are to be tried again. */
export function Messages({ consumers, topic, tab }: { readonly consumers: readonly QueueInfo[]; readonly topic: string; readonly tab: string }) {
  const [chosen, choose] = useParam('msg');
  const answers = useQueries({ queries: consumers.map(({ step }) => ({ ...asking('GET /queues/messages', { step, topic, limit: LIMIT }), staleTime: REFRESH_MS })) });
  const failed = answers.find(({ error }) => error)?.error as ApiError | undefined;
  const all = answers.flatMap(({ data }, at) => (data?.items ?? []).map((message) => ({ ...message, step: consumers[at]?.step ?? '' })));
  const messages = all.filter(({ active, attempts }) => (tab === 'active' ? active : !active && (tab === 'retrying' ? attempts > 0 : attempts === 0)));
  const at = messages.findIndex(({ messageId }) => messageId === chosen);
  useRowKeys(messages.length, at, { onMove: (to) => choose(messages[to]?.messageId ?? null, { replace: chosen !== '' }) });
  if (failed) return <Failed what="messages" error={failed} onRetry={() => answers.forEach(({ refetch }) => void refetch())} />;
  if (answers.some(({ isPending }) => isPending)) return <Loading what="messages" />;
  const selected = messages[at];
  return (
    <Columns>
      <Content>
        {messages.length === 0 ? <Empty title={NOTHING[tab] ?? 'Nothing waits'} /> : <Rows messages={messages} chosen={chosen} onPick={choose} />}
        {all.length >= LIMIT && <p className="muted" style={{ padding: 8 }}>The next {LIMIT} messages of each consumer are shown.</p>}
      </Content>
      {selected ? (
        <Inspector title={<span className="mono">{selected.messageId}</span>} onClose={() => choose(null)}>
          <Pairs items={[['Consumer', selected.step], ['Attempts', selected.attempts], ['Enqueued', <Time key="at" at={selected.enqueuedAt} />], selected.groupId !== undefined && ['Group', selected.groupId]]} />
          <h3>Payload</h3><CopyButton text={() => writeJson(selected.data, 2)} /><JsonTree value={selected.data} />
          {selected.headers && <><h3>Headers</h3><JsonTree value={selected.headers} /></>}
        </Inspector>
      ) : chosen !== '' && <NoMessage id={chosen} onClose={() => choose(null)} />}
    </Columns>
  );
}

const NOTHING: Readonly<Record<string, string>> = { active: 'Nothing is being processed', retrying: 'Nothing waits for another attempt' };

function Rows({ messages, chosen, onPick }: { readonly messages: readonly (QueueMessage & { readonly step: string })[]; readonly chosen: string; readonly onPick: (id: string) => void }) {
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
