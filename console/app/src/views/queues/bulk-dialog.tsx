import { useEffect, useState } from 'react';
import type { Job, JobRequest, Selection, SelectionRequest } from '../../api/types.generated.js';
import { type ApiError, call } from '../../api/client.js';
import { refresh } from '../../api/use-api.js';
import { count, plural } from '../../format/numbers.js';
import { Badge, Button, Field, Input, Pairs } from '../../parts/controls.js';
import { Failed, Loading } from '../../parts/data-state.js';
import { Modal, ModalFoot } from '../../parts/modal.js';
import { KeyRef } from '../../parts/refs.js';
import { Time } from '../../parts/time.js';
import { attempt } from '../../parts/toasts.js';

interface Props {
  readonly selection: SelectionRequest;
  readonly action: JobRequest['action'];
  readonly onClose: () => void;
}

const VERBS: Readonly<Record<JobRequest['action'], string>> = { redrive: 'Redrive', discard: 'Discard', delete: 'Delete' };
/** From here on the number is typed. */
const TYPED_FROM = 100;
const POLL_MS = 500;

/** Freezes what is meant, shows it, and does it after the confirmation, one first when wished. */
export function BulkDialog({ selection: wanted, action, onClose }: Props) {
  const [frozen, setFrozen] = useState<Selection>();
  const [error, setError] = useState<ApiError>();
  const [job, setJob] = useState<Job>();
  useEffect(() => {
    call('POST /selections', { body: wanted }).then(setFrozen, (reason: unknown) => setError(reason as ApiError));
  }, []);
  const close = (): void => {
    refresh('/queues');
    refresh('/state/groups');
    onClose();
  };
  return (
    <Modal title={frozen ? `${VERBS[action]} ${count(frozen.count)}` : VERBS[action]} onClose={close}>
      {error ? <Failed what="the selection" error={error} /> : !frozen ? <Loading what="the selection" /> : job ? <Progress first={job} onClose={close} /> : <Confirm frozen={frozen} of={wanted} action={action} onJob={setJob} onClose={close} />}
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
      <ModalFoot><Button onClick={onClose}>Cancel</Button><Button look={action === 'redrive' ? 'primary' : 'danger'} disabled={frozen.count === 0 || (mustType && typed.trim() !== String(frozen.count))} onClick={begin}>{VERBS[action]} {canary ? '1 of ' : ''}{count(frozen.count)}</Button></ModalFoot>
    </>
  );
}

/** Keys of state are references, with their values on their cards. */
function Samples({ ids, of }: { readonly ids: readonly string[]; readonly of: SelectionRequest }) {
  if (of.kind !== 'state-keys') return <span className="mono">{ids.join(', ')}</span>;
  return <ul>{ids.map((id) => <li key={id}><KeyRef group={of.group} name={id} /></li>)}</ul>;
}

function Progress({ first, onClose }: { readonly first: Job; readonly onClose: () => void }) {
  const [job, setJob] = useState(first);
  const over = job.endedAt !== undefined;
  useEffect(() => {
    if (over) return undefined;
    const timer = setInterval(() => void attempt(async () => setJob(await call('GET /jobs/{id}', { id: job.id }))), POLL_MS);
    return () => clearInterval(timer);
  }, [job.id, over]);
  const steer = (verb: 'pause' | 'resume' | 'cancel'): void => void attempt(async () => setJob(await call(`POST /jobs/{id}/${verb}`, { id: job.id })));
  return (
    <>
      <div className="row wrap"><Badge tone={job.state === 'failed' || job.failed > 0 ? 'bad' : job.state === 'done' ? 'ok' : 'info'}>{job.state}</Badge><span>{count(job.done)} of {count(job.count)} done{job.failed > 0 && `, ${count(job.failed)} failed`}{job.missing > 0 && `, ${count(job.missing)} no longer there`}</span></div>
      <progress max={job.count} value={job.done + job.failed + job.missing} aria-label="Progress" style={{ width: '100%' }} />
      {job.state === 'paused' && job.done === 1 && <p>The first one was delivered. Look at what became of it, then go on with the rest.</p>}
      {job.failures.length > 0 && <ul>{job.failures.map(({ id, detail }) => <li key={id}><span className="mono">{id}</span> {detail}</li>)}</ul>}
      <ModalFoot>
        {job.state === 'running' && <Button onClick={() => steer('pause')}>Pause</Button>}
        {job.state === 'paused' && <Button look="primary" onClick={() => steer('resume')}>Go on with {count(job.count - job.done - job.failed - job.missing)}</Button>}
        {!over && <Button look="danger" onClick={() => steer('cancel')}>Cancel the rest</Button>}
        <Button onClick={onClose}>Close</Button>
      </ModalFoot>
    </>
  );
}
