import type { StreamEvent } from '../../api/types.generated.js';
import { refresh, useApi } from '../../api/use-api.js';
import { useLive } from '../../live/use-live.js';
import { useTogether } from '../../live/use-together.js';
import { Badge } from '../../parts/controls.js';
import { Answer, Empty } from '../../parts/data-state.js';
import { NotThere } from '../../parts/not-there.js';
import { FileRef } from '../../parts/refs.js';
import { Tabs } from '../../parts/tabs.js';
import { Columns, Content, Side, SideLink, SideTitle, View } from '../../parts/view.js';
import { matchPath } from '../../url/match-path.js';
import { useParam, usePath } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { Connections } from './connections.js';
import { JoinPanel } from './join-panel.js';
import { StreamEvents } from './stream-events.js';
import { StreamItems } from './stream-items.js';

/** No topic tells how many follow a stream. */
const STREAMS_MS = 5_000;
const GROUPS_MS = 2_000;

/** Streams, their groups, items and events. */
export default function StreamsView() {
  const path = usePath();
  const at = matchPath('/streams/:stream/:group/:id', path) ?? matchPath('/streams/:stream/:group', path) ?? matchPath('/streams/:stream', path);
  const streams = useApi('GET /streams', {}, { every: () => STREAMS_MS });
  const anew = useTogether(() => refresh('GET /streams/{stream}/groups'), GROUPS_MS);
  // An update of an item makes no group and ends none.
  useLive('stream', {}, { events: (events) => void ((events as readonly StreamEvent[]).some(({ event: { type } }) => type === 'create' || type === 'delete') && anew()), gap: anew, resumed: anew });
  return (
    <View title="Streams" bar={at && <span className="mono muted truncate">{[at['stream'], at['group'], at['id']].filter((part) => part !== undefined).join(' / ')}</span>}>
      <Answer of={streams} what="streams">
        {({ items }) => (items.length === 0 ? <NoStream /> : (
          <Columns>
            <Side label="Streams">
              {items.map(({ name, subscriptions, declaredIn }) => <section key={name}><SideTitle>{name} · {subscriptions} following</SideTitle><Groups stream={name} current={at?.['stream'] === name ? at['group'] : undefined} /><p style={{ padding: '0 9px' }}><FileRef file={declaredIn} /></p></section>)}
            </Side>
            {at && !items.some(({ name }) => name === at['stream']) ? <Content><NotThere what="stream" name={at['stream'] ?? ''} to="/streams" list="All streams" /></Content> : at?.['group'] === undefined ? <Content><Connections /></Content> : <Group key={`${at['stream']} ${at['group']}`} stream={at['stream'] ?? ''} group={at['group']} id={at['id']} />}
          </Columns>
        ))}
      </Answer>
    </View>
  );
}

function Groups({ stream, current }: { readonly stream: string; readonly current: string | undefined }) {
  const answer = useApi('GET /streams/{stream}/groups', { stream });
  return <Answer of={answer} what="groups">{({ items, cursor }) => <>{items.length === 0 && <p className="muted" style={{ padding: '0 9px' }}>no item yet</p>}{items.map((group) => <SideLink key={group} to={paths.streamGroup(stream, group)} current={group === current}><span className="truncate">{group}</span></SideLink>)}{cursor !== undefined && <p className="muted" style={{ padding: '0 9px' }}>The first {items.length} groups</p>}</>}</Answer>;
}

const TABS = [{ id: 'items', title: 'Items' }, { id: 'events', title: 'Events' }, { id: 'as', title: 'As a client' }];

function Group({ stream, group, id }: { readonly stream: string; readonly group: string; readonly id: string | undefined }) {
  const [tab, setTab] = useParam('tab', 'items');
  return <Content><Tabs label="Of the group" tabs={TABS} current={tab} onPick={setTab} />{tab === 'as' ? <JoinPanel stream={stream} group={group} /> : tab === 'events' ? <StreamEvents stream={stream} group={group} /> : <StreamItems stream={stream} group={group} id={id} />}</Content>;
}

function NoStream() {
  return <Empty title="No stream is declared"><p>A file such as <code>steps/board.stream.ts</code> declares one:</p><pre>{"export const config = { name: 'board', schema: z.object({ id: z.string() }), canAccess: () => true };"}</pre><Badge>then it appears here</Badge></Empty>;
}
