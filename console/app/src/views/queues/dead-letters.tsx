import { useState } from 'react';
import type { DeadLetter, DeadLetterGroup, SelectionRequest } from '../../api/types.generated.js';
import { useApi, usePages } from '../../api/use-api.js';
import { count } from '../../format/numbers.js';
import { useMarks } from '../../keys/use-marks.js';
import { useRowKeys } from '../../keys/use-row-keys.js';
import { ActButton } from '../../parts/act-button.js';
import { Badge, Button } from '../../parts/controls.js';
import { Answer, Empty, Note } from '../../parts/data-state.js';
import { Found } from '../../parts/found.js';
import { conditionsFrom } from '../../parts/paths-of.js';
import { StepRef, TraceRef } from '../../parts/refs.js';
import table from '../../parts/table.module.css';
import { Time } from '../../parts/time.js';
import { Columns, Content } from '../../parts/view.js';
import { useParam } from '../../url/location.js';
import { BulkDialog } from './bulk-dialog.js';
import { LetterInspector } from './letter-inspector.js';

const LIMIT = 200;
const FIELDS = ['has:error', 'reason:max_attempts', 'attempt:>1', 'age:<1h', 'has:group', 'step:', 'id:', 'trace:', 'time:>'];

/** Dead letters by how they failed: mend one thing, redrive its group. */
export function DeadLetters({ topic }: { readonly topic: string }) {
  const [group, setGroup] = useParam('group');
  const [chosen, choose] = useParam('msg');
  const [bulk, setBulk] = useState<{ readonly action: 'redrive' | 'discard'; readonly selection: SelectionRequest }>();
  const groups = useApi('GET /queues/dead-letters/groups', { topic });
  const [q] = useParam('q');
  // Of a group that is gone all letters are listed, with a word of it.
  const isGone = groups.data?.items.every(({ fingerprint }) => fingerprint !== group) === true;
  const letters = usePages('GET /queues/dead-letters', { topic, q, fingerprint: isGone ? '' : group, limit: LIMIT });
  const loaded = letters.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <Answer of={groups} what="dead letters">
        {({ items, truncated, examined }) => (items.length === 0 ? <Empty title="No dead letters"><p>A message that fails all its attempts is kept here with its errors.</p></Empty> : (
          <Columns>
            <Content>
              {truncated && <Note>The newest {count(examined)} letters are grouped; there are more.</Note>}
              {group !== '' && isGone && <Note>There is no group “{group}” any more: letters of all groups are listed. <Button look="plain" onClick={() => setGroup(null)}>Forget it</Button></Note>}
              <Groups items={items} chosen={group} onPick={(fingerprint) => setGroup(fingerprint === group ? null : fingerprint)} onBulk={(action, one) => setBulk({ action, selection: { kind: 'dead-letters', step: one.step, topic, fingerprint: one.fingerprint } })} />
              {q !== '' && <AllThatFit onBulk={(action) => setBulk({ action, selection: { kind: 'dead-letters', topic, q, ...group !== '' && { fingerprint: group } } })} />}
              <Found what="dead letters" one="letter" example="error:*Timeout* customer.id:c-1 attempt:>2 age:<1h" of={letters} suggestions={[...FIELDS, ...conditionsFrom(loaded.map(({ data }) => data))]} empty={<Empty title="No dead letters" />}>
                {(found) => <Letters key={group} items={found} chosen={chosen} onPick={choose} onBulk={(action, ids) => setBulk({ action, selection: { kind: 'dead-letters', topic, ids } })} />}
              </Found>
            </Content>
            {chosen !== '' && <LetterInspector key={chosen} id={chosen} onClose={() => choose(null)} />}
          </Columns>
        ))}
      </Answer>
      {bulk && <BulkDialog {...bulk} onClose={() => setBulk(undefined)} />}
    </>
  );
}

interface GroupsProps {
  readonly items: readonly DeadLetterGroup[];
  readonly chosen: string;
  readonly onPick: (fingerprint: string) => void;
  readonly onBulk: (action: 'redrive' | 'discard', group: DeadLetterGroup) => void;
}

function Groups({ items, chosen, onPick, onBulk }: GroupsProps) {
  return (
    <div style={{ padding: '8px 16px', borderBottom: '1px solid var(--line)' }} className="stack">
      {items.map((group) => (
        <div key={group.fingerprint} className="row wrap">
          <Badge tone="bad">{count(group.count)} ×</Badge>
          <Button on={group.fingerprint === chosen} onClick={() => onPick(group.fingerprint)} className="truncate">{group.errorName && <strong>{group.errorName}</strong>}<span className="truncate">{group.message}</span></Button>
          <span className="muted">{group.step}, {group.reason.replaceAll('_', ' ')}, last <Time at={group.last} /></span>
          <span className="row" style={{ marginLeft: 'auto' }}><ActButton look="primary" onClick={() => onBulk('redrive', group)}>Redrive {count(group.count)}…</ActButton><ActButton look="danger" onClick={() => onBulk('discard', group)}>Discard {count(group.count)}…</ActButton></span>
        </div>
      ))}
    </div>
  );
}

/** Of the query, also where they are not listed yet; how many they are is said before anything is done. */
function AllThatFit({ onBulk }: { readonly onBulk: (action: 'redrive' | 'discard') => void }) {
  return <div className="row wrap" style={{ padding: '4px 16px' }}><span className="muted">All letters that fit the query:</span><ActButton onClick={() => onBulk('redrive')}>Redrive all that fit…</ActButton><ActButton look="danger" onClick={() => onBulk('discard')}>Discard all that fit…</ActButton></div>;
}

interface LettersProps {
  readonly items: readonly DeadLetter[];
  readonly chosen: string;
  readonly onPick: (id: string) => void;
  readonly onBulk: (action: 'redrive' | 'discard', ids: readonly string[]) => void;
}

function Letters({ items, chosen, onPick, onBulk }: LettersProps) {
  const at = items.findIndex(({ id }) => id === chosen);
  const ids = items.map(({ id }) => id);
  const { marked, toggle } = useMarks(ids, at);
  const meant = marked.filter((id) => ids.includes(id));
  useRowKeys(items.length, at, { onMove: (to) => onPick(items[to]?.id ?? '') });
  return (
    <div className={table.scroll} tabIndex={0} role="region" aria-label="Dead letters">
      {meant.length > 0 && <div className="row wrap" style={{ padding: 8 }}><span>{count(meant.length)} chosen</span><ActButton look="primary" onClick={() => onBulk('redrive', meant)}>Redrive the chosen…</ActButton><ActButton look="danger" onClick={() => onBulk('discard', meant)}>Discard the chosen…</ActButton></div>}
      <table className={table.table}>
        <thead><tr><th><span className="hidden-text">Chosen</span></th><th>Dead since</th><th>Step</th><th>Error</th><th className={table.num}>Attempts</th><th className={table.narrow}>Message</th><th className={table.narrow}>Trace</th></tr></thead>
        <tbody>{items.map((letter) => (
          <tr key={letter.id} data-current={letter.id === chosen} onClick={() => onPick(letter.id)}>
            <td><input type="checkbox" aria-label={`Choose letter ${letter.id}`} checked={marked.includes(letter.id)} onClick={(event) => event.stopPropagation()} onChange={() => toggle(letter.id)} /></td><td><Time at={letter.deadAt} /></td><td><StepRef step={letter.step} /></td><td>{letter.errors.at(-1)?.message ?? letter.reason}</td><td className={table.num}>{letter.attempts}</td><td className={`mono ${table.narrow}`}><Button look="plain" onClick={() => onPick(letter.id)}>{letter.messageId}</Button></td><td className={table.narrow}><TraceRef id={letter.traceId} /></td>
          </tr>
        ))}</tbody>
      </table>
    </div>
  );
}
