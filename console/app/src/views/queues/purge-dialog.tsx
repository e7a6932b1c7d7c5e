import { useState } from 'react';
import type { PurgeRequest } from '../../api/types.generated.js';
import { call } from '../../api/client.js';
import { refresh } from '../../api/use-api.js';
import { count, plural } from '../../format/numbers.js';
import { Button, Field, Input } from '../../parts/controls.js';
import { Modal, ModalFoot } from '../../parts/modal.js';
import { attempt, toast } from '../../parts/toasts.js';

interface Props {
  readonly of: PurgeRequest;
  /** Whose messages they are. */
  readonly name: string;
  /** Messages that are there now. */
  readonly there: number;
  readonly onClose: () => void;
}

/** Removes what waits once its number is typed. The number is that of the moment in which the dialog was opened: what comes meanwhile goes, too, and is counted in the end. */
export function PurgeDialog({ of, name, there, onClose }: Props) {
  const [shown] = useState(there);
  const [typed, setTyped] = useState('');
  const purge = (): void => void attempt(async () => {
    const { purged } = await call('POST /queues/purge', { body: of });
    toast(`Removed ${plural(purged, 'message')} of ${name}`, 'ok');
    refresh('/queues');
    onClose();
  });
  return (
    <Modal title={`Empty ${name}`} onClose={onClose}>
      <p>{plural(shown, 'message')} of {name} {shown === 1 ? 'is' : 'are'} removed, for good: those that wait, those that are due later and those that are to be tried again. What comes until then is removed, too; what runs goes on, and dead letters stay.</p>
      <Field label={`Type ${shown} to confirm`}><Input inputMode="numeric" value={typed} onChange={(event) => setTyped(event.target.value)} /></Field>
      <ModalFoot><Button onClick={onClose}>Cancel</Button><Button look="danger" disabled={typed.trim() !== String(shown)} onClick={purge}>Remove {count(shown)}</Button></ModalFoot>
    </Modal>
  );
}
