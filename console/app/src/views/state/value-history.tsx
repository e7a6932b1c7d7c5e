import type { StateChange } from '../../api/types.generated.js';
import { preview } from '../../parts/json-tree.js';
import { useApi } from '../../api/use-api.js';
import { ActButton } from '../../parts/act-button.js';
import { Badge } from '../../parts/controls.js';
import { Answer, Note } from '../../parts/data-state.js';
import { StepRef, TraceRef } from '../../parts/refs.js';
import { Time } from '../../parts/time.js';
import { Link } from '../../url/link.js';
import { withSearch } from '../../url/location.js';
import { type Difference, differences } from '../../parts/differences.js';
import css from './state.module.css';
import { restoreBefore } from './restore-before.js';

/** Who wrote the key, what changed, and a way back. */
export function ValueHistory({ group, name, rev }: { readonly group: string; readonly name: string; /** The one that is marked. */ readonly rev: string }) {
  const answer = useApi('GET /state/groups/{group}/keys/{key}/history', { group, key: name });
  return (
    <Answer of={answer} what="the history">
      {({ items, since }) => (
        <>
          <p className="muted">Writes are noted since <Time at={since} />, what was deleted here also before; the last 20 of a key.</p>
          {rev !== '' && !items.some((change) => writes(change, rev)) && <Note>There is no revision “{rev}” among the writes that are kept.</Note>}
          {items.length === 0 && <p>It was not written since then.</p>}
          <ol className="stack">
            {items.map((change) => (
              <li key={change.id} className={`stack ${css.change}`} {...writes(change, rev) && { 'aria-current': 'true', ref: intoSight }}>
                <div className="row wrap"><Time at={change.at} />{change.after ? <Link to={withSearch({ tab: null, rev: String(change.after.revision) })}>revision {change.after.revision}</Link> : <Badge>deleted</Badge>}{change.step ? <StepRef step={change.step} /> : <span className="muted">by hand</span>}{change.traceId && <TraceRef id={change.traceId} />}</div>
                <ul>{differences(change.before?.value, change.after?.value).map((one) => <Changed key={one.path} one={one} />)}</ul>
                <div><ActButton onClick={() => void restoreBefore(group, name, change.id)}>{change.before ? `Restore what was before (revision ${change.before.revision})` : 'Delete it again'}</ActButton></div>
              </li>
            ))}
          </ol>
        </>
      )}
    </Answer>
  );
}

const writes = ({ after }: StateChange, rev: string): boolean => after !== undefined && String(after.revision) === rev;
const intoSight = (row: HTMLElement | null): void => row?.scrollIntoView({ block: 'nearest' });

function Changed({ one: { path, before, after } }: { readonly one: Difference }) {
  return <li className="mono">{path === '' ? 'value' : path}: {before !== undefined && <del>{preview(before, 60)}</del>} {after !== undefined && <ins>{preview(after, 60)}</ins>}</li>;
}
