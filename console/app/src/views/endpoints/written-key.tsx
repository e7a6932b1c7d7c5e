import type { SpanRow, StateHistory } from '../../api/types.generated.js';
import { useApi } from '../../api/use-api.js';
import { Badge } from '../../parts/controls.js';
import { preview } from '../../parts/json-tree.js';
import { KeyRef } from '../../parts/refs.js';
import { type Difference, differences } from '../state/differences.js';

const ASK_MS = 500;

/** A key with what was before and after, as far as the engine has noted it. */
export function WrittenKey({ span: { attributes, stepName, startTime }, traceId }: { readonly span: SpanRow; readonly traceId: string }) {
  const [group, name] = [String(attributes['state.group']), String(attributes['state.key'])];
  const revision = Number(attributes['state.rev.after'] ?? 0);
  const changeIn = (history: StateHistory | undefined) => history?.items.find((one) => one.traceId === traceId && (one.after?.revision ?? 0) === revision);
  const isNoted = (history: StateHistory | undefined): boolean => history === undefined || Date.parse(history.since) <= startTime;
  // The answer may be older than this write.
  const { data, error } = useApi('GET /state/groups/{group}/keys/{key}/history', { group, key: name }, { every: (history) => (changeIn(history) || !isNoted(history) ? false : ASK_MS) });
  const change = changeIn(data);
  return (
    <li>
      <Badge>{String(attributes['state.operation'])}</Badge><KeyRef group={group} name={name} /><span className="muted">by {stepName}{attributes['state.rev.after'] !== undefined && `, revision ${String(attributes['state.rev.after'])}`}</span>
      {change && <ul className="mono">{differences(change.before?.value, change.after?.value).map((one) => <Changed key={one.path} one={one} />)}</ul>}
      {error && <span className="muted">{data === undefined ? 'what was before is not known' : 'not up to date'}: {error.message}</span>}
      {!isNoted(data) && <span className="muted">what was before is not known: writes are noted from now on</span>}
    </li>
  );
}

function Changed({ one: { path, before, after } }: { readonly one: Difference }) {
  return <li>{path || 'value'}: {before !== undefined && <del>{preview(before, 50)}</del>} {after !== undefined && <ins>{preview(after, 90)}</ins>}</li>;
}
