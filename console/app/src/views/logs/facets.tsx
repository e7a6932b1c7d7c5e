import type { LogFacet } from '../../api/types.generated.js';
import { count } from '../../format/numbers.js';
import { withCondition } from '../../parts/with-condition.js';
import css from './logs.module.css';
import { nameInQuery } from './logs-view.js';

const VALUES = 6;
const FIELDS = 24;

/** Values of the fields that occur; a click adds a condition. */
export function Facets({ items, q, onQuery }: { readonly items: readonly LogFacet[]; readonly q: string; readonly onQuery: (q: string) => void }) {
  return items.slice(0, FIELDS).map(({ field, values, count: total, truncated }) => (
    <section key={field} className={css.facet}>
      <h3>{field}<span className="muted">{count(total)}</span></h3>
      {values.filter(({ value }) => value !== '').slice(0, VALUES).map(({ value, count: times }) => (
        <button key={value} type="button" data-value className={css.value} title={`Filter for ${field}: ${value}; with Alt, filter it out`} onClick={(event) => onQuery(withCondition(q, nameInQuery(field), value, event.altKey))}>
          <span className="truncate">{value}</span><span className="num muted">{count(times)}</span>
        </button>
      ))}
      {(truncated || values.length > VALUES) && <span className="muted">and more</span>}
    </section>
  ));
}
