import { useQueries } from '@tanstack/react-query';
import type { QueueInfo } from '../../api/types.generated.js';
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
import { writeJson } from '../../api/json.js';

const LIMIT = 100;
const REFRESH_MS = 3_000;

/** Messages that wait, run or are to be tried again. */
export function Messages({ consumers, topic, tab }: { readonly consumers: readonly QueueInfo[]; readonly topic: string; readonly tab: string }) {
  const [chosen, choose] = useParam('msg');
  const answers = useQueries({ queries: consumers.map(({ step }) => ({ ...asking('GET /queues/messages', { step, topic, limit: LIMIT }), staleTime: REFRESH_MS })) });
  const failed = answers.find(({ error }) => error)?.error as ApiError | undefined;
  const all = answers.flatMap(({ data }, at) => (data?.items ?? []).map((message) => ({ ...message, step: consumers[at]?.step ?? '' })));
  const messages = all.filter(({ active, attempts }) => (tab === 'active' ? active : !active && (tab === 'retrying' ? attempts > 0 : attempts === 0)));
  const at = messages.findIndex(({ messageId }) => messageId === chosen);
  useRowKeys(messages.length, at, { onMove: (to) => choose(messages[to]?.messageId ?? null, { replace: chosen !== '' }) });
  if (failed) return <Failed what="messages" error={failed} />;
  if (answers.some(({ isPending }) => isPending)) return <Loading what="messages" />;
  if (messages.length === 0) return <Empty title={tab === 'active' ? 'Nothing is being processed' : tab === 'retrying' ? 'Nothing waits for another attempt' : 'Nothing waits'} />;
  const selected = messages[at];
  return (
    <Columns>
      <Content>
        <div className={table.scroll} tabIndex={0} role="region" aria-label="Messages">
          <table className={table.table}>
            <thead><tr><th>Message</th><th>Consumer</th><th className={table.num}>Attempts</th><th className={table.narrow}>Enqueued</th><th className={table.narrow}>Next attempt</th><th>Payload</th></tr></thead>
            <tbody>{messages.map((message) => (
              <tr key={`${message.step} ${message.deliveryId}`} data-current={message.messageId === chosen} onClick={() => choose(message.messageId)}>
                <td className="mono">{message.messageId}</td><td>{message.step}</td><td className={table.num}>{message.attempts}</td><td className={table.narrow}><Time at={message.enqueuedAt} /></td><td className={table.narrow}>{message.dueAt ? <Time at={message.dueAt} /> : '–'}</td><td className="mono">{preview(message.data, 80)}</td>
              </tr>
            ))}</tbody>
          </table>
        </div>
        {all.length >= LIMIT && <p className="muted" style={{ padding: 8 }}>The next {LIMIT} messages of each consumer are shown.</p>}
      </Content>
      {selected && (
        <Inspector title={<span className="mono">{selected.messageId}</span>} onClose={() => choose(null)}>
          <Pairs items={[['Consumer', selected.step], ['Attempts', selected.attempts], ['Enqueued', <Time key="at" at={selected.enqueuedAt} />], selected.groupId !== undefined && ['Group', selected.groupId]]} />
          <h3>Payload</h3><CopyButton text={() => writeJson(selected.data, 2)} /><JsonTree value={selected.data} />
          {selected.headers && <><h3>Headers</h3><JsonTree value={selected.headers} /></>}
        </Inspector>
      )}
    </Columns>
  );
}
