import { useState } from 'react';
import type { JsonValue, StreamEvent } from '../../api/types.generated.js';
import { ApiError } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { useRowKeys } from '../../keys/use-row-keys.js';
import { useLive } from '../../live/use-live.js';
import { useCommands } from '../../keys/commands.js';
import { Badge, Button, Kbd } from '../../parts/controls.js';
import type { Tone } from '../../parts/tone.js';
import { conditionsFrom } from '../../parts/paths-of.js';
import { Empty, Failed, Filtered, Note } from '../../parts/data-state.js';
import { preview } from '../../parts/json-tree.js';
import { Time } from '../../parts/time.js';
import { QueryBar } from '../../parts/query-bar.js';
import { Columns } from '../../parts/view.js';
import { VirtualList } from '../../parts/virtual-list.js';
import viewCss from '../../parts/view.module.css';
import { useParam } from '../../url/location.js';
import { beforeOf, type Shown } from './before-event.js';
import { EventInspector } from './event-inspector.js';

const MOST = 10_000;
const MOST_KNOWN = 500;
const ROW = 30;
/** Events whose members are offered while a query is typed. */
const SAMPLE = 200;
const FIELDS = ['type:create', 'type:update', 'type:delete', 'id:', 'time:>'];
const TONES: Readonly<Record<string, Tone>> = { create: 'ok', update: 'info', delete: 'bad', event: 'warn' };


/** What happens in a group from now on, the newest first. */
export function StreamEvents({ stream, group }: { readonly stream: string; readonly group: string }) {
  const [q, setQuery] = useParam('q');
  return <Recorder key={q} stream={stream} group={group} q={q} onQuery={setQuery} />;
}

interface RecorderProps {
  readonly stream: string;
  readonly group: string;
  readonly q: string;
  readonly onQuery: (q: string | null) => void;
}

/** The engine does the matching; with another query the list begins anew. */
function Recorder({ stream, group, q, onQuery }: RecorderProps) {
  const [events, setEvents] = useState<readonly Shown[]>([]);
  const [paused, setPaused] = useState(false);
  const [refusal, setRefusal] = useState<ApiError>();
  const add = (some: readonly Shown[]): void => setEvents((before) => [...some, ...before].slice(0, MOST));
  useLive('stream', { stream, group, ...q !== '' && { q } }, {
    events: (some) => add([...(some as readonly StreamEvent[])].reverse()), gap: (dropped) => add([{ missing: `${dropped} events came faster than they may be sent`, key: `gap ${Date.now()}` }]),
    resumed: () => add([{ missing: 'the connection was lost; events may be missing here', key: `resumed ${Date.now()}` }]),
    ended: (code, detail, at) => setRefusal(new ApiError(0, { code, detail, ...at && { at } }, '')),
  }, !paused && refusal === undefined);
  const pause = (): void => {
    if (paused) add([{ missing: 'what happened during the pause is missing here', key: `pause ${Date.now()}` }]);
    setPaused(!paused);
  };
  useCommands([{ title: paused ? 'Go on with events' : 'Pause events', keys: ['Space'], run: pause }]);
  const [open, setOpen] = useState<StreamEvent>();
  // As it is when this is opened: what the first events change.
  const known = useApi('GET /streams/{stream}/groups/{group}', { stream, group, limit: MOST_KNOWN });
  const at = events.findIndex((event) => event === open);
  const move = (to: number): void => {
    const event = events[to];
    if (event && !('missing' in event)) setOpen(event);
  };
  useRowKeys(events.length, at, { onMove: move });
  return (
    <Columns>
      <div className={viewCss.anchor}>
      <div className="row" style={{ padding: '6px 16px 0' }}><QueryBar value={q} onQuery={onQuery} label="Query of events" example="type:update id:t-1 status:open" suggestions={[...FIELDS, ...conditionsFrom(events.slice(0, SAMPLE).flatMap((event) => ('missing' in event ? [] : [dataOf(event)])))]} error={refusal ?? null} /></div>
      <div className="row" style={{ padding: '6px 16px' }}><Button on={paused} onClick={pause}>{paused ? 'Go on' : 'Pause'} <Kbd>Space</Kbd></Button><span className="muted">{refusal ? 'What happens now is not shown.' : paused ? 'What happens now is not recorded.' : `${events.length} since this was opened, the last ${MOST} are kept`}</span></div>
      {refusal && <Failed what="what happens" error={refusal} onRetry={() => setRefusal(undefined)} />}
      {events.length === 0 ? !refusal && (q === '' ? <Empty title="Nothing has happened since this was opened" /> : <Filtered what="events since this was opened" query={q} onDrop={() => onQuery(null)} onQuery={onQuery} />) : <VirtualList<Shown> items={events} keyOf={(event, at) => ('missing' in event ? event.key : `${event.epoch} ${event.seq} ${at}`)} rowHeight={ROW} label="Events" role="listbox" current={at} render={(event) => ('missing' in event ? <Note>{event.missing}</Note> : <Row event={event} current={event === open} onOpen={() => setOpen(event)} />)} />}
      </div>
      {open && <EventInspector event={open} before={q === '' || open.event.type === 'create' ? beforeOf(open, events, known.data) : undefined} onClose={() => setOpen(undefined)} />}
    </Columns>
  );
}

function Row({ event: { event, id, timestamp, seq }, current, onOpen }: { readonly event: StreamEvent; readonly current: boolean; readonly onOpen: () => void }) {
  const data = event.type === 'event' ? event.event : event.data;
  return <div role="option" aria-selected={current} className={viewCss.rowButton} onClick={onOpen}><span className="mono muted"><Time at={timestamp} /></span><Badge tone={TONES[event.type]} shape="">{event.type}</Badge><span className="mono truncate" style={{ flex: '0 1 30%' }}>{id ?? ''}</span><span className="mono muted truncate grow">{preview(data)}</span><span className="muted">#{seq}</span></div>;
}

const dataOf = ({ event }: StreamEvent): JsonValue => (event.type === 'event' ? event.event.data : event.data);
