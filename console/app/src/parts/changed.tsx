import { type Difference, differences } from './differences.js';
import { preview } from './json-tree.js';

/** Members that are named. */
const MOST_SHOWN = 12;
const [BEFORE, AFTER] = [50, 90];

/** What two values have differently, a line each; undefined: there was, or is, none. Nothing where they are the same. */
export function Changed({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  const changed = differences(before, after);
  return changed.length > 0 && <ul className="mono">{changed.slice(0, MOST_SHOWN).map((one) => <Line key={one.path} one={one} />)}{changed.length > MOST_SHOWN && <li className="muted">and {changed.length - MOST_SHOWN} more</li>}</ul>;
}

function Line({ one: { path, before, after } }: { readonly one: Difference }) {
  return <li>{path || 'value'}: {before !== undefined && <del>{preview(before, BEFORE)}</del>} {after !== undefined && <ins>{preview(after, AFTER)}</ins>}</li>;
}
