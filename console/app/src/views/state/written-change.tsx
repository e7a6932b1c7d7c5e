import { useRef } from 'react';
import type { SpanRow } from '../../api/types.generated.js';
import { useApi } from '../../api/use-api.js';
import { Changed } from '../../parts/changed.js';
import { differences } from '../../parts/differences.js';
import { notedOf } from './written.js';

const ASK_MS = 500;
/** How long it is asked for a write that no answer has: what was asked may be older than the write. */
const MOST_MS = 5_000;

/** What a write changed, as far as the engine has noted it. */
export function WrittenChange({ span }: { readonly span: SpanRow }) {
  const [group, key] = [String(span.attributes['state.group']), String(span.attributes['state.key'])];
  const since = useRef(performance.now());
  const isLate = (): boolean => performance.now() - since.current > MOST_MS;
  const { data, error, isFetching } = useApi('GET /state/groups/{group}/keys/{key}/history', { group, key }, {
    every: (history) => ((history && notedOf(history, span).is !== 'absent') || isLate() ? false : ASK_MS),
  });
  const noted = data && notedOf(data, span);
  const change = noted?.is === 'noted' ? noted.change : undefined;
  return (
    <>
      {change && differences(change.before?.value, change.after?.value).length === 0 && <span className="muted">the value stayed as it was</span>}
      {change && <Changed before={change.before?.value} after={change.after?.value} />}
      {error && <span className="muted">{data === undefined ? 'what was before is not known' : 'not up to date'}: {error.message}</span>}
      {noted?.is === 'before' && <span className="muted">what was before is not known: writes are noted from now on</span>}
      {noted?.is === 'absent' && !isFetching && isLate() && <span className="muted">what was before is not kept any more</span>}
    </>
  );
}
