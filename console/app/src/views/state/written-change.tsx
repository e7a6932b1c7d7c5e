import { useRef } from 'react';
import type { SpanRow } from '../../api/types.generated.js';
import { useApi } from '../../api/use-api.js';
import { preview } from '../../parts/json-tree.js';
import { type Difference, differences } from './differences.js';
import { notedOf } from './written.js';

const ASK_MS = 500;
/** How long it is asked for a write that no answer has: what was asked may be older than the write. */
const MOST_MS = 5_000;
/** Members that are named. */
const MOST_SHOWN = 12;

/** What a write changed, as far as the engine has noted it. */
export function WrittenChange({ span }: { readonly span: SpanRow }) {
  const [group, key] = [String(span.attributes['state.group']), String(span.attributes['state.key'])];
  const since = useRef(performance.now());
  const isLate = (): boolean => performance.now() - since.current > MOST_MS;
  const { data, error, isFetching } = useApi('GET /state/groups/{group}/keys/{key}/history', { group, key }, {
    every: (history) => ((history && notedOf(history, span).is !== 'absent') || isLate() ? false : ASK_MS),
  });
  const noted = data && notedOf(data, span);
  const changed = noted?.is === 'noted' ? differences(noted.change.before?.value, noted.change.after?.value) : [];
  return (
    <>
      {noted?.is === 'noted' && changed.length === 0 && <span className="muted">the value stayed as it was</span>}
      {changed.length > 0 && <ul className="mono">{changed.slice(0, MOST_SHOWN).map((one) => <Changed key={one.path} one={one} />)}{changed.length > MOST_SHOWN && <li className="muted">and {changed.length - MOST_SHOWN} more</li>}</ul>}
      {error && <span className="muted">{data === undefined ? 'what was before is not known' : 'not up to date'}: {error.message}</span>}
      {noted?.is === 'before' && <span className="muted">what was before is not known: writes are noted from now on</span>}
      {noted?.is === 'absent' && !isFetching && isLate() && <span className="muted">what was before is not kept any more</span>}
    </>
  );
}

function Changed({ one: { path, before, after } }: { readonly one: Difference }) {
  return <li>{path || 'value'}: {before !== undefined && <del>{preview(before, 50)}</del>} {after !== undefined && <ins>{preview(after, 90)}</ins>}</li>;
}
