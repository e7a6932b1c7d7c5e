import type { StateChange } from '../../api/types.generated.js';
import { call } from '../../api/client.js';
import { preview } from '../../parts/json-tree.js';
import { useApi } from '../../api/use-api.js';
import { Badge, Button } from '../../parts/controls.js';
import { Answer } from '../../parts/data-state.js';
import { StepRef, TraceRef } from '../../parts/refs.js';
import { Time } from '../../parts/time.js';
import { attempt } from '../../parts/toasts.js';
import { type Difference, differences } from './differences.js';
import css from './state.module.css';
import { refreshKey } from './refresh-key.js';

/** Who wrote the key, what changed, and a way back. */
export function ValueHistory({ group, name }: { readonly group: string; readonly name: string }) {
  const answer = useApi('GET /state/groups/{group}/keys/{key}/history', { group, key: name });
  const restore = (change: StateChange): void => void attempt(async () => {
    await call('POST /state/groups/{group}/keys/{key}/restore', { group, key: name, body: { change: change.id } });
    refreshKey(group, name);
  }, 'Restored');
  return (
    <Answer of={answer} what="the history">
      {({ items, since }) => (
        <>
          <p className="muted">Writes are noted since <Time at={since} />, the last 20 of a key.</p>
          {items.length === 0 && <p>It was not written since then.</p>}
          <ol className="stack">
            {items.map((change) => (
              <li key={change.id} className={`stack ${css.change}`}>
                <div className="row wrap"><Time at={change.at} /><Badge>{change.after ? `revision ${change.after.revision}` : 'deleted'}</Badge>{change.step ? <StepRef step={change.step} /> : <span className="muted">by hand</span>}{change.traceId && <TraceRef id={change.traceId} />}</div>
                <ul>{differences(change.before?.value, change.after?.value).map((one) => <Changed key={one.path} one={one} />)}</ul>
                <div><Button onClick={() => restore(change)}>{change.before ? `Restore what was before (revision ${change.before.revision})` : 'Delete it again'}</Button></div>
              </li>
            ))}
          </ol>
        </>
      )}
    </Answer>
  );
}

function Changed({ one: { path, before, after } }: { readonly one: Difference }) {
  return <li className="mono">{path === '' ? 'value' : path}: {before !== undefined && <del>{preview(before, 60)}</del>} {after !== undefined && <ins>{preview(after, 60)}</ins>}</li>;
}
