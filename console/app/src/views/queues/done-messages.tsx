import type { DoneMessage } from '../../api/types.generated.js';
import { refresh, usePages } from '../../api/use-api.js';
import { duration } from '../../format/duration.js';
import { useRowKeys } from '../../keys/use-row-keys.js';
import { useLive } from '../../live/use-live.js';
import { useTogether } from '../../live/use-together.js';
import { Badge } from '../../parts/controls.js';
import { Empty, Note } from '../../parts/data-state.js';
import { Found } from '../../parts/found.js';
import { StepRef, TraceRef } from '../../parts/refs.js';
import table from '../../parts/table.module.css';
import { Time } from '../../parts/time.js';
import { withCondition } from '../../parts/with-condition.js';
import { Columns, Content } from '../../parts/view.js';
import { useParam } from '../../url/location.js';
import { NoMessage } from './no-message.js';

const PAGE = 100;
/** Longest time from a trace to the list that has its messages; milliseconds. */
const TOGETHER_MS = 1_000;
/** The payload is not kept. */
const FIELDS = ['state:done', 'state:skipped', 'attempt:>1', 'duration:>200ms', 'age:<5m', 'step:', 'id:', 'trace:', 'time:>'];

/** Messages that were processed, or whose condition was not met: a queue keeps none of them, the spans that are kept do. */
export function DoneMessages({ topic }: { readonly topic: string }) {
  const [chosen, choose] = useParam('msg');
  const [q] = useParam('q');
  const answer = usePages('GET /traces/messages', { topic, q, limit: PAGE });
  const anew = useTogether(() => refresh('GET /traces/messages', { topic }), TOGETHER_MS);
  useLive('traces', { q: tracesOf(topic) }, { events: anew, gap: anew, resumed: anew });
  const messages = answer.data?.pages.flatMap(({ items }) => items) ?? [];
  const note = answer.data?.pages[0]?.note;
  const at = messages.findIndex(({ messageId }) => messageId === chosen);
  useRowKeys(messages.length, at, { onMove: (to) => choose(messages[to]?.messageId ?? null, { replace: chosen !== '' }) });
  return (
    <Columns>
      <Content>
        {note !== undefined && <Note>{note}</Note>}
        <Found what="done messages" one="message" example="step:Notify* attempt:>1 duration:>200ms age:<5m" of={answer} suggestions={FIELDS} empty={<Empty title="Nothing was done, as far as traces are kept" />}>
          {(items) => <Rows messages={items} current={at} onPick={choose} />}
        </Found>
      </Content>
      {chosen !== '' && at < 0 && !answer.isPending && <NoMessage id={chosen} onClose={() => choose(null)} />}
    </Columns>
  );
}

/** Changes of state and streams have no topic; their kind stands for it. */
function tracesOf(topic: string): string {
  const names = topic === '' ? ['state changes', 'stream changes'] : [topic];
  return `(${names.map((name) => withCondition('', 'topic', name)).join(' OR ')}) (queue.outcome:done OR queue.outcome:skipped)`;
}

function Rows({ messages, current, onPick }: { readonly messages: readonly DoneMessage[]; readonly current: number; readonly onPick: (id: string) => void }) {
  return (
    <div className={table.scroll} tabIndex={0} role="region" aria-label="Done">
      <table className={table.table}>
        <thead><tr><th>Message</th><th>Consumer</th><th>Outcome</th><th className={`${table.num} ${table.narrow}`}>Attempt</th><th className={table.num}>Took</th><th className={table.narrow}>Done at</th><th>Trace</th></tr></thead>
        <tbody>{messages.map(({ messageId, step, outcome, attempt, durationMs, doneAt, traceId, spanId }, at) => (
          <tr key={spanId} data-current={at === current} onClick={() => onPick(messageId)}>
            <td className="mono">{messageId}</td><td><StepRef step={step} /></td><td><Badge tone={outcome === 'done' ? 'ok' : 'plain'}>{outcome}</Badge></td><td className={`${table.num} ${table.narrow}`}>{attempt}</td><td className={table.num}>{duration(durationMs)}</td><td className={table.narrow}><Time at={doneAt} /></td><td><TraceRef id={traceId} span={spanId} /></td>
          </tr>
        ))}</tbody>
      </table>
    </div>
  );
}
