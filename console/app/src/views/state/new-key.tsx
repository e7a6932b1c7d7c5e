import { useState } from 'react';
import { call } from '../../api/client.js';
import { readJson } from '../../api/json.js';
import type { StateWrite } from '../../api/types.generated.js';
import { ActButton } from '../../parts/act-button.js';
import { Button, Field, Input } from '../../parts/controls.js';
import { JsonEditor } from '../../parts/json-editor.js';
import { faultOf } from '../../parts/json-fault.js';
import { Modal, ModalFoot } from '../../parts/modal.js';
import { attempt } from '../../parts/toasts.js';
import { openKey } from './open-key.js';
import { refreshKey } from './refresh-key.js';

/** The way to a key that is not there yet. */
export function NewKey({ group }: { readonly group: string }) {
  const [open, setOpen] = useState(false);
  return <><ActButton onClick={() => setOpen(true)}>New key…</ActButton>{open && <NewKeyDialog group={group} onClose={() => setOpen(false)} />}</>;
}

/** Writes a key only where there is none. */
function NewKeyDialog({ group, onClose }: { readonly group: string; readonly onClose: () => void }) {
  const [key, setKey] = useState('');
  const [text, setText] = useState('{}');
  const fault = faultOf(text);
  const write = (): void => void attempt(async () => {
    await call('PUT /state/groups/{group}/keys/{key}', { group, key, body: { value: readJson(text), revision: 0 } as StateWrite });
    refreshKey(group, key);
    onClose();
    openKey(group, key, { replace: false });
  }, `Wrote ${key}`);
  return (
    <Modal title={`New key of ${group}`} onClose={onClose}>
      <Field label="Key"><Input value={key} onChange={(event) => setKey(event.target.value)} /></Field>
      <JsonEditor label="Value" value={text} onChange={setText} />
      {fault && <p role="alert" className="muted">{fault}</p>}
      <ModalFoot><Button onClick={onClose}>Cancel</Button><ActButton look="primary" disabled={key === '' || fault !== undefined} onClick={write}>Write</ActButton></ModalFoot>
    </Modal>
  );
}
