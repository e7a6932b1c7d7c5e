import { refresh } from '../../api/use-api.js';
import { useLive } from '../../live/use-live.js';
import { useTogether } from '../../live/use-together.js';
import { useCommands } from '../../keys/commands.js';
import { Tabs } from '../../parts/tabs.js';
import { Content } from '../../parts/view.js';
import { patchSearch, useParam } from '../../url/location.js';
import { GroupUsers } from './group-users.js';
import { KeyList } from './key-list.js';
import { KeySearch } from './key-search.js';
import { KeyTree } from './key-tree.js';

const WAYS = [{ id: 'keys', title: 'Keys' }, { id: 'tree', title: 'Tree' }, { id: 'search', title: 'Search values' }];

/** The engine looks at many keys for a tree and for a search. */
const LISTS_MS = 5_000;

/** The keys of a group: one after the other, by what they begin with, or those that a query finds. */
export function GroupPage(props: { readonly group: string; readonly current: string | undefined }) {
  const [as] = useParam('as', 'keys');
  const show = (id: string): void => patchSearch({ as: id === 'keys' ? null : id, ...id === 'search' ? { prefix: null } : { q: null } });
  const anew = useTogether(() => void (as !== 'keys' && refresh(as === 'tree' ? 'GET /state/groups/{group}/tree' : 'GET /state/groups/{group}/search', { group: props.group })), LISTS_MS);
  useLive('state', { group: props.group }, { events: anew, gap: anew }, as !== 'keys');
  useCommands([
    { title: 'Keys as a tree, or one after the other', keys: ['b'], run: () => show(as === 'tree' ? 'keys' : 'tree') },
    { title: 'Search values, or all keys', keys: ['f'], run: () => show(as === 'search' ? 'keys' : 'search') },
  ]);
  return (
    <Content>
      <GroupUsers group={props.group} />
      <Tabs label="How the keys are shown" tabs={WAYS} current={as} onPick={show} />
      {as === 'tree' ? <KeyTree {...props} /> : as === 'search' ? <KeySearch {...props} /> : <KeyList {...props} />}
    </Content>
  );
}
