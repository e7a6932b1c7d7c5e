import { useState } from 'react';
import type { StateChange, StateItem } from '../../api/types.generated.js';
import { call } from '../../api/client.js';
import { writeJson } from '../../api/json.js';
import { refresh, useApi } from '../../api/use-api.js';
import { useCommands } from '../../keys/commands.js';
import { useLive } from '../../live/use-live.js';
import { Badge, Button, Pairs } from '../../parts/controls.js';
import { copying } from '../../parts/copy.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Answer } from '../../parts/data-state.js';
import { JsonTree } from '../../parts/json-tree.js';
import { Tabs } from '../../parts/tabs.js';
import { attempt } from '../../parts/toasts.js';
import { Inspector } from '../../parts/view.js';
import { navigate, useParam } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { refreshKey } from './refresh-key.js';
import { ValueEditor } from './value-editor.js';
import { ValueHistory } from './value-history.js';

const TABS = [{ id: 'value', title: 'Value' }, { id: 'history', title: 'History' }, { id: 'raw', title: 'Raw' }];

/** One value: as it is, as it was, and how to change it. */
export function ValuePane({ group, name }: { readonly group: string; readonly name: string }) {
  const [tab, setTab] = useParam('tab', 'value');
  const answer = useApi('GET /state/groups/{group}/keys/{key}', { group, key: name });
  useLive('state', { group, key: name }, { events: (events) => void ((events as readonly StateChange[]).length > 0 && refresh('/state/groups/{group}/keys/{key}', { group, key: name })) });
  return (
    <Inspector title={<span className="mono">{name}</span>} onClose={() => navigate(paths.stateGroup(group))}>
      <Tabs label="Of the value" tabs={TABS} current={tab} onPick={setTab} />
      {tab === 'history' ? <ValueHistory group={group} name={name} /> : <Answer of={answer} what="the value">{(item) => (tab === 'raw' ? <Raw value={item.value} /> : <Value group={group} item={item} />)}</Answer>}
    </Inspector>
  );
}

function Raw({ value }: { readonly value: unknown }) {
  const text = writeJson(value, 2);
  return <><CopyButton text={text} /><pre className="mono">{text}</pre></>;
}

function Value({ group, item }: { readonly group: string; readonly item: StateItem }) {
  const [editing, setEditing] = useState<StateItem>();
  const remove = (): void => void attempt(async () => {
    await call('DELETE /state/groups/{group}/keys/{key}', { group, key: item.key });
    refreshKey(group, item.key);
  }, `Deleted ${item.key}; its history can restore it`);
  useCommands([copying('the key', () => `${group}/${item.key}`), copying('the value as JSON', () => writeJson(item.value, 2))]);
  if (editing) return <ValueEditor group={group} base={editing} current={item} onDone={() => setEditing(undefined)} />;
  return (
    <>
      <Pairs items={[['Revision', <Badge key="revision">{item.revision}</Badge>], ['Size', `${new TextEncoder().encode(writeJson(item.value)).length} bytes as JSON`]]} />
      <div className="row wrap"><Button look="primary" onClick={() => setEditing(item)}>Edit</Button><CopyButton text={() => writeJson(item.value, 2)} label="Copy JSON" /><Button look="danger" onClick={remove}>Delete</Button></div>
      <JsonTree value={item.value} open={6} />
    </>
  );
}
