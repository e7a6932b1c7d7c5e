import { useState } from 'react';
import type { StateItem } from '../../api/types.generated.js';
import { call } from '../../api/client.js';
import { writeJson } from '../../api/json.js';
import { refresh, useApi } from '../../api/use-api.js';
import { useCommands } from '../../keys/commands.js';
import { useLive } from '../../live/use-live.js';
import { useTogether } from '../../live/use-together.js';
import { ActButton } from '../../parts/act-button.js';
import { Badge, Pairs } from '../../parts/controls.js';
import { copying } from '../../parts/copy.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Answer } from '../../parts/data-state.js';
import { JsonTree } from '../../parts/json-tree.js';
import { Tabs } from '../../parts/tabs.js';
import { attempt, toast } from '../../parts/toasts.js';
import { Inspector } from '../../parts/view.js';
import { patchSearch, useParam } from '../../url/location.js';
import { closeKey } from './open-key.js';
import { WatchButton } from '../../watches/watch-button.js';
import { Expiry } from './expiry.js';
import { refreshKey } from './refresh-key.js';
import { restoreBefore } from './restore-before.js';
import { ValueEditor } from './value-editor.js';
import { ValueHistory } from './value-history.js';

/** Of a value that is written without pause. */
const TOGETHER_MS = 300;
const TABS = [{ id: 'value', title: 'Value' }, { id: 'history', title: 'History' }, { id: 'raw', title: 'Raw' }];

/** One value: as it is, as it was, and how to change it. */
export function ValuePane({ group, name }: { readonly group: string; readonly name: string }) {
  // A revision is one of the history.
  const [rev] = useParam('rev');
  const [tab] = useParam('tab', rev === '' ? 'value' : 'history');
  const setTab = (id: string): void => patchSearch({ tab: id === 'value' ? null : id, rev: null });
  const answer = useApi('GET /state/groups/{group}/keys/{key}', { group, key: name });
  const anew = useTogether(() => refresh('/state/groups/{group}/keys/{key}', { group, key: name }), TOGETHER_MS);
  useLive('state', { group, key: name }, { events: anew, gap: anew });
  return (
    <Inspector title={<span className="mono">{name}</span>} onClose={() => closeKey(group)}>
      <Tabs label="Of the value" tabs={TABS} current={tab} onPick={setTab} />
      {tab === 'history' ? <ValueHistory group={group} name={name} rev={rev} /> : <Answer of={answer} what="the value">{(item) => (tab === 'raw' ? <Raw value={item.value} /> : <Value group={group} item={item} />)}</Answer>}
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
    const { change } = await call('DELETE /state/groups/{group}/keys/{key}', { group, key: item.key });
    refreshKey(group, item.key);
    toast(`Deleted ${item.key}`, 'ok', change === undefined ? undefined : () => void restoreBefore(group, item.key, change, 0));
  });
  useCommands([copying('the key', () => `${group}/${item.key}`), copying('the value as JSON', () => writeJson(item.value, 2))]);
  if (editing) return <ValueEditor group={group} base={editing} current={item} onDone={() => setEditing(undefined)} />;
  return (
    <>
      <Pairs items={[['Revision', <Badge key="revision">{item.revision}</Badge>], ['Size', `${new TextEncoder().encode(writeJson(item.value)).length} bytes as JSON`], ['Expires', <Expiry key="expiry" group={group} item={item} />]]} />
      <div className="row wrap"><ActButton look="primary" onClick={() => setEditing(item)}>Edit</ActButton><CopyButton text={() => writeJson(item.value, 2)} label="Copy JSON" /><WatchButton watch={{ kind: 'key', group, key: item.key }} title="Watch" /><ActButton look="danger" onClick={remove}>Delete</ActButton></div>
      <JsonTree value={item.value} open={6} />
    </>
  );
}
