import { useApi } from '../../api/use-api.js';
import { Answer, Empty } from '../../parts/data-state.js';
import { Columns, Side, SideLink, SideTitle, View } from '../../parts/view.js';
import { matchPath } from '../../url/match-path.js';
import { usePath } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { KeyList } from './key-list.js';
import { ValuePane } from './value-pane.js';

const GROUPS = 1_000;

/** Groups, their keys and one value. */
export default function StateView() {
  const path = usePath();
  const one = matchPath('/state/:group/:key', path) ?? matchPath('/state/:group', path);
  const groups = useApi('GET /state/groups', { limit: GROUPS });
  return (
    <View title="State" bar={one && <span className="mono muted truncate">{one['group']}{one['key'] !== undefined && ` / ${one['key']}`}</span>}>
      <Answer of={groups} what="groups of state">
        {({ items, cursor }) => (items.length === 0 ? <NothingYet /> : (
          <Columns>
            <Side label="Groups"><SideTitle>Groups</SideTitle>{items.map((group) => <SideLink key={group} to={paths.stateGroup(group)} current={group === one?.['group']}><span className="truncate">{group}</span></SideLink>)}{cursor !== undefined && <p className="muted">The first {GROUPS} groups</p>}</Side>
            {one ? <KeyList key={one['group']} group={one['group'] ?? ''} current={one['key']} /> : <Empty title="Choose a group" />}
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
