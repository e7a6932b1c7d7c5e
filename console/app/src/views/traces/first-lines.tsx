import type { LogPage } from '../../api/types.generated.js';
import { count } from '../../format/numbers.js';
import { Note } from '../../parts/data-state.js';
import { Link } from '../../url/link.js';
import { paths } from '../../url/paths.js';

/** Says that a trace has more lines than were asked for; nothing where all are there. */
export function FirstLines({ of: { items, total }, traceId }: { readonly of: LogPage; readonly traceId: string }) {
  return total > items.length && <Note>Only the first {count(items.length)} of {count(total)} lines of the trace are looked at. <Link to={paths.logs(`trace:${traceId}`)}>All lines of the trace</Link></Note>;
}
