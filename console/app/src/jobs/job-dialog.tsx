import type { Job } from '../api/types.generated.js';
import { call } from '../api/client.js';
import { refresh, useApi } from '../api/use-api.js';
import { count } from '../format/numbers.js';
import { useLive } from '../live/use-live.js';
import { ActButton } from '../parts/act-button.js';
import { Badge, Button } from '../parts/controls.js';
import { Answer } from '../parts/data-state.js';
import { Modal, ModalFoot } from '../parts/modal.js';
import { NotThere } from '../parts/not-there.js';
import { Time } from '../parts/time.js';
import { attempt } from '../parts/toasts.js';
import { Link } from '../url/link.js';
import { patchSearch } from '../url/location.js';
import { paths } from '../url/paths.js';
import { JobObjects } from './job-objects.js';
import { jobProgress, jobRest, jobTitle, jobTone } from './job-words.js';
import { knowJob } from './know-job.js';

const NONE = 404;

/** How far the job of the address is, over whatever view: it goes on when this is closed, and can be opened again. */
export default function JobDialog({ id }: { readonly id: string }) {
  const answer = useApi('GET /jobs/{id}', { id });
  const anew = (): void => refresh('GET /jobs/{id}', { id });
  useLive('jobs', {}, { snapshot: anew, resumed: anew });
  const close = (): void => {
    refresh('/queues');
    refresh('/state/groups');
    patchSearch({ job: null }, { replace: true });
  };
  const isGone = answer.error?.status === NONE;
  return (
    <Modal title={answer.data && !isGone ? jobTitle(answer.data) : 'Job'} onClose={close}>
      {isGone ? <NotThere what="job" name={id} to="/modules?tab=jobs" list="All jobs">The last 100 are known until the engine ends.</NotThere> : <Answer of={answer} what="the job">{(job) => <Progress job={job} onClose={close} />}</Answer>}
    </Modal>
  );
}

function Progress({ job, onClose }: { readonly job: Job; readonly onClose: () => void }) {
  const { id, state, failures, error, who, startedAt } = job;
  const over = job.endedAt !== undefined;
  const steer = (verb: 'pause' | 'resume' | 'cancel'): void => void attempt(async () => knowJob(await call(`POST /jobs/{id}/${verb}`, { id })));
  return (
    <>
      <div className="row wrap"><Badge tone={jobTone(job)}>{state}</Badge><span>{jobProgress(job)}</span></div>
      <progress max={job.count} value={job.count - jobRest(job)} aria-label="Progress" style={{ width: '100%' }} />
      <p className="muted"><JobObjects job={job} />, by {who}, <Time at={startedAt} /></p>
      {state === 'paused' && <First job={job} />}
      {error !== undefined && <p role="alert">{error}</p>}
      {failures.length > 0 && <ul>{failures.map((one) => <li key={one.id}><span className="mono">{one.id}</span> {one.detail}</li>)}</ul>}
      <ModalFoot>
        {state === 'running' && <ActButton onClick={() => steer('pause')}>Pause</ActButton>}
        {state === 'paused' && <ActButton look="primary" onClick={() => steer('resume')}>Go on with {count(jobRest(job))}</ActButton>}
        {!over && <ActButton look="danger" onClick={() => steer('cancel')}>Cancel the rest</ActButton>}
        <Button onClick={onClose}>Close</Button>
      </ModalFoot>
    </>
  );
}

/** While a job waits after its first one. */
function First({ job: { first, done, failed, missing } }: { readonly job: Job }) {
  if (!first || done + failed + missing !== 1) return null;
  if (done === 0) return <p>The first one {failed > 0 ? 'did not go through' : 'was no longer there'}.</p>;
  const look = 'Look at what became of it';
  return <p>The first one was delivered. {first.traceId === undefined ? look : <Link to={paths.trace(first.traceId)}>{look}</Link>}, then go on with the rest.</p>;
}
