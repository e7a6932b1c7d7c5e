import { useEffect, useState } from 'react';
import type { Job, JobRequest, Selection, SelectionRequest } from '../../api/types.generated.js';
import { type ApiError, call } from '../../api/client.js';
import { count, plural } from '../../format/numbers.js';
import { verbOf } from '../../jobs/job-words.js';
import { knowJob } from '../../jobs/know-job.js';
import { Button, Field, Input, Pairs } from '../../parts/controls.js';
import { Failed, Loading } from '../../parts/data-state.js';
import { Modal, ModalFoot } from '../../parts/modal.js';
import { KeyRef } from '../../parts/refs.js';
import { Time } from '../../parts/time.js';
import { attempt } from '../../parts/toasts.js';
import { patchSearch } from '../../url/location.js';

interface Props {
  readonly selection: SelectionRequest;
  readonly action: JobRequest['action'];
  readonly onClose: () => void;
}

/** From here on the number is typed. */
const TYPED_FROM = 100;

/** Freezes what is meant, shows it, and begins it after the confirmation, one first when wished. */
export function BulkDialog({ selection: wanted, action, onClose }: Props) {
  const [frozen, setFrozen] = useState<Selection>();
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    call('POST /selections', { body: wanted }).then(setFrozen, (reason: unknown) => setError(reason as ApiError));
  }, []);
  // It goes on in a dialog of its own, that of the address.
  const follow = (job: Job): void => {
    knowJob(job);
    onClose();
    patchSearch({ job: job.id });
  };
  return (
    <Modal title={frozen ? `${verbOf(action)} ${count(frozen.count)}` : verbOf(action)} onClose={onClose}>
      {error ? <Failed what="the selection" error={error} /> : !frozen ? <Loading what="the selection" /> : <Confirm frozen={frozen} of={wanted} action={action} onJob={follow} onClose={onClose} />}
    </Modal>
  );
}

function Confirm({ frozen, of, action, onJob, onClose }: { readonly frozen: Selection; readonly of: SelectionRequest; readonly action: JobRequest['action']; readonly onJob: (job: Job) => void; readonly onClose: () => void }) {
  const [canary, setCanary] = useState(action === 'redrive' && frozen.count > 1);
  const [rate, setRate] = useState('');
  const [typed, setTyped] = useState('');
  const mustType = frozen.count > TYPED_FROM || action !== 'redrive';
  const begin = (): void => void attempt(async () => onJob(await call('POST /jobs', {
    body: { selection: frozen.id, count: frozen.count, action, ...canary && { canary: true }, ...Number(rate) > 0 && { perSecond: Number(rate) } },
  })));
  return (
    <>
      <p>{plural(frozen.count, 'item')} {frozen.count === 1 ? 'is' : 'are'} frozen in this selection; what arrives from now on is not in it.{frozen.truncated && ' There were more than a selection may hold.'}</p>
      <Pairs items={[['For example', <Samples key="samples" ids={frozen.samples} of={of} />], ['Kept until', <Time key="until" at={frozen.expiresAt} />]]} />
      {action === 'redrive' && frozen.count > 1 && <label className="row"><input type="checkbox" checked={canary} onChange={(event) => setCanary(event.target.checked)} /> Redrive one first, then wait for my word</label>}
      <Field label="At most so many a second (empty: as fast as it goes)"><Input inputMode="numeric" pattern="\d*" value={rate} onChange={(event) => setRate(event.target.value)} /></Field>
      {mustType && <Field label={`Type ${frozen.count} to confirm`}><Input inputMode="numeric" value={typed} onChange={(event) => setTyped(event.target.value)} /></Field>}
      <ModalFoot><Button onClick={onClose}>Cancel</Button><Button look={action === 'redrive' ? 'primary' : 'danger'} disabled={frozen.count === 0 || (mustType && typed.trim() !== String(frozen.count))} onClick={begin}>{verbOf(action)} {canary ? '1 of ' : ''}{count(frozen.count)}</Button></ModalFoot>
    </>
  );
}

/** Keys of state are references, with their values on their cards. */
function Samples({ ids, of }: { readonly ids: readonly string[]; readonly of: SelectionRequest }) {
  if (of.kind !== 'state-keys') return <span className="mono">{ids.join(', ')}</span>;
  return <ul>{ids.map((id) => <li key={id}><KeyRef group={of.group} name={id} /></li>)}</ul>;
}
