import type { StateChange } from '../../api/types.generated.js';
import { refresh, useApi } from '../../api/use-api.js';
import { useLive } from '../../live/use-live.js';
import { useTogether } from '../../live/use-together.js';
import { Answer, Empty } from '../../parts/data-state.js';
import { Columns, Side, SideLink, SideTitle, View } from '../../parts/view.js';
import { matchPath } from '../../url/match-path.js';
import { usePath } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { GroupPage } from './group-page.js';
import { ValuePane } from './value-pane.js';

const GROUPS = 1_000;
/** Longest time from a write to the list that has its group; milliseconds. */
const GROUPS_MS = 1_000;

/** Groups, their keys and one value. */
export default function StateView() {
  const path = usePath();
  const one = matchPath('/state/:group/:key', path) ?? matchPath('/state/:group', path);
  const groups = useApi('GET /state/groups', { limit: GROUPS });
  const anew = useTogether(() => refresh('GET /state/groups'), GROUPS_MS);
  const known = new Set(groups.data?.items);
  // A write to a group that is there changes nothing here; a deletion may have been its last key.
  useLive('state', {}, { events: (events) => void ((events as readonly StateChange[]).some(({ group, after }) => after === undefined || !known.has(group)) && anew()), gap: anew, resumed: anew });
  return (
    <View title="State" bar={one && <span className="mono muted truncate">{one['group']}{one['key'] !== undefined && ` / ${one['key']}`}</span>}>
      <Answer of={groups} what="groups of state">
        {({ items, cursor }) => (items.length === 0 ? <NothingYet /> : (
          <Columns>
            <Side label="Groups"><SideTitle>Groups</SideTitle>{items.map((group) => <SideLink key={group} to={paths.stateGroup(group)} current={group === one?.['group']}><span className="truncate">{group}</span></SideLink>)}{cursor !== undefined && <p className="muted">The first {GROUPS} groups</p>}</Side>
            {one ? <GroupPage key={one['group']} group={one['group'] ?? ''} current={one['key']} /> : <Empty title="Choose a group" />}
            {one?.['key'] !== undefined && <ValuePane key={`${one['group']} ${one['key']}`} group={one['group'] ?? ''} name={one['key']} />}
          </Columns>
        ))}
      </Answer>
    </View>
  );
}

function NothingYet() {
  return <Empty title="No state written yet"><p>A handler writes some with:</p><pre>{"await ctx.state.set('tickets', id, { status: 'open' });"}</pre></Empty>;
}
