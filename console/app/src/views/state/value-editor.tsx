import { useState } from 'react';
import type { StateItem } from '../../api/types.generated.js';
import { ApiError, call } from '../../api/client.js';
import { readJson, writeJson } from '../../api/json.js';
import { Button, Kbd } from '../../parts/controls.js';
import { Note } from '../../parts/data-state.js';
import { JsonEditor, JsonMerge } from '../../parts/json-editor.js';
import { faultOf } from '../../parts/json-fault.js';
import { JsonTree } from '../../parts/json-tree.js';
import { Modal, ModalFoot } from '../../parts/modal.js';
import { toast } from '../../parts/toasts.js';
import { useCommands } from '../../keys/commands.js';
import css from './state.module.css';
import { refreshKey } from './refresh-key.js';

interface Props {
  readonly group: string;
  /** As it was when the editing began. */
  readonly base: StateItem;
  /** As it is now. */
  readonly current: StateItem;
  readonly onDone: () => void;
}

/** Compare and set: a value that somebody else wrote meanwhile is never overwritten unseen. */
export function ValueEditor({ group, base, current, onDone }: Props) {
  const [text, setText] = useState(() => writeJson(base.value, 2));
  const [theirs, setTheirs] = useState<StateItem>();
  const fault = faultOf(text);
  const save = async (over: number): Promise<void> => {
    try {
      await call('PUT /state/groups/{group}/keys/{key}', { group, key: base.key, body: { value: readJson(text), revision: over } });
      toast(`Saved ${base.key}`);
      refreshKey(group, base.key);
      onDone();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 409 || error.status === 412) setTheirs(await call('GET /state/groups/{group}/keys/{key}', { group, key: base.key }));
      else toast(error.message, 'bad');
    }
  };
  useCommands([{ title: 'Save the value', keys: ['mod+s'], run: () => void (fault === undefined && save(base.revision)) }]);
  return (
    <>
      {current.revision !== base.revision && !theirs && <Note>It was written meanwhile: you edit revision {base.revision}, now it has {current.revision}. Saving shows both.</Note>}
      <JsonEditor label={`Value of ${base.key}`} value={text} onChange={setText} />
      {fault && <p role="alert" className="muted">{fault}</p>}
      <div className="row"><Button look="primary" disabled={fault !== undefined} onClick={() => void save(base.revision)}>Save over revision {base.revision} <Kbd>⌘S</Kbd></Button><Button onClick={onDone}>Cancel</Button></div>
      {theirs && <Conflict base={base} theirs={theirs} mine={text} onText={setText} onSave={() => void save(theirs.revision)} fault={fault} onClose={() => setTheirs(undefined)} />}
    </>
  );
}

interface ConflictProps {
  readonly base: StateItem;
  readonly theirs: StateItem;
  readonly mine: string;
  readonly fault: string | undefined;
  readonly onText: (text: string) => void;
  readonly onSave: () => void;
  readonly onClose: () => void;
}

/** Three ways: what the editing began with, what was written meanwhile, and what is to be saved. */
function Conflict({ base, theirs, mine, fault, onText, onSave, onClose }: ConflictProps) {
  useCommands([{ title: 'Save what both wrote', keys: ['mod+s'], inDialogs: true, run: () => void (fault === undefined && onSave()) }]);
  return (
    <Modal title="Somebody wrote it meanwhile" onClose={onClose} wide>
      <p>You began with revision {base.revision}; now it is revision {theirs.revision}. Nothing was overwritten. Bring together what you want to keep on the right.</p>
      <details open><summary>Revision {base.revision}, with which you began</summary><div className={css.three}><JsonTree value={base.value} /></div></details>
      <JsonMerge before={writeJson(theirs.value, 2)} after={mine} onChange={onText} labels={[`Now: revision ${theirs.revision}`, 'Yours, to be saved']} />
      {fault && <p role="alert" className="muted">{fault}</p>}
      <ModalFoot>
        <Button onClick={onClose}>Back to editing</Button><Button onClick={() => onText(writeJson(theirs.value, 2))}>Take theirs</Button>
        <Button look="primary" disabled={fault !== undefined} onClick={onSave}>Save over revision {theirs.revision}</Button>
      </ModalFoot>
    </Modal>
  );
}
