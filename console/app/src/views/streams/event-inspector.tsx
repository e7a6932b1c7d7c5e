import type { StreamEvent } from '../../api/types.generated.js';
import { useApi } from '../../api/use-api.js';
import { Badge, Pairs } from '../../parts/controls.js';
import { Changed } from '../../parts/changed.js';
import { Answer } from '../../parts/data-state.js';
import { differences } from '../../parts/differences.js';
import { JsonTree } from '../../parts/json-tree.js';
import { StepRef, TraceRef } from '../../parts/refs.js';
import { Time } from '../../parts/time.js';
import { Inspector } from '../../parts/view.js';
import { withCondition } from '../../parts/with-condition.js';
import { Link } from '../../url/link.js';
import { pathOf } from '../../url/match-path.js';
import type { Version } from './before-event.js';

const MOST_TRACES = 5;
/** The span of a write ends after its event was sent. */
const [ASK_MS, LATE_MS] = [1_000, 10_000];

/** One event: what it changed, and the traces that it may come from. */
export function EventInspector({ event: of, before, onClose }: { readonly event: StreamEvent; readonly before: Version; readonly onClose: () => void }) {
  const { event, id, timestamp, seq, streamName, groupId } = of;
  const data = event.type === 'event' ? event.event : event.data;
  return (
    <Inspector title={<span className="mono">#{seq} {event.type}</span>} onClose={onClose}>
      <Pairs items={[['When', <Time key="at" at={timestamp} />], id !== undefined && ['Item', <Link key="id" className="mono" to={pathOf('streams', streamName, groupId, id)}>{id}</Link>]]} />
      {event.type !== 'event' && <><h3>What changed</h3><Change before={before} after={event.type === 'delete' ? undefined : data} /></>}
      {id !== undefined && <Origin key={seq} of={of} id={id} />}
      <h3>{event.type === 'delete' ? 'What was there' : 'What was sent'}</h3><JsonTree value={data} open={5} />
    </Inspector>
  );
}

function Change({ before, after }: { readonly before: Version; readonly after: unknown }) {
  if (!before) return <p className="muted">What was before is not known: no earlier version has been seen since this was opened.</p>;
  if (differences(before.value, after).length === 0) return <p className="muted">The value stayed as it was.</p>;
  return <Changed before={before.value} after={after} />;
}

/** An event does not say who wrote it; spans do, as far as they are kept. */
function Origin({ of: { streamName, groupId, timestamp }, id }: { readonly of: StreamEvent; readonly id: string }) {
  const q = ([['stream.name', streamName], ['stream.group', groupId], ['stream.id', id]] as const).reduce((query, [field, value]) => withCondition(query, field, value), '');
  const answer = useApi('GET /traces', { q, to: new Date(timestamp).toISOString(), limit: MOST_TRACES }, { every: (page) => (page?.items.length === 0 && Date.now() - timestamp < LATE_MS ? ASK_MS : false) });
  return (
    <>
      <h3>Traces that touched the item, the latest until then first</h3>
      <Answer of={answer} what="traces of the item">{({ items, note }) => (items.length === 0 ? <p className="muted">None is kept: a person or a module wrote it, or its spans are not recorded{note !== undefined && ` (${note})`}.</p> : (
        <ul className="stack">{items.map(({ traceId, name, steps, errors }) => <li key={traceId} className="row wrap"><Badge tone={errors > 0 ? 'bad' : 'ok'}>{errors > 0 ? 'error' : 'ok'}</Badge><TraceRef id={traceId} /><span className="truncate">{name}</span>{steps.map((step) => <StepRef key={step} step={step} />)}</li>)}</ul>
      ))}</Answer>
    </>
  );
}
