import type { SpanRow } from '../../api/types.generated.js';
import { Badge } from '../../parts/controls.js';
import { KeyRef } from '../../parts/refs.js';
import { WrittenChange } from './written-change.js';

/** A key with what was before and after. */
export function WrittenKey({ span }: { readonly span: SpanRow }) {
  const { attributes, stepName } = span;
  return (
    <li className="row wrap">
      <Badge>{String(attributes['state.operation'])}</Badge><KeyRef group={String(attributes['state.group'])} name={String(attributes['state.key'])} /><span className="muted">by {stepName}{attributes['state.rev.after'] !== undefined && `, revision ${String(attributes['state.rev.after'])}`}</span>
      <WrittenChange span={span} />
    </li>
  );
}
