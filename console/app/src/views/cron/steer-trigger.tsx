import { useState } from 'react';
import { call } from '../../api/client.js';
import type { CronTrigger } from '../../api/types.generated.js';
import { refresh } from '../../api/use-api.js';
import { minuteTime, writtenTime } from '../../format/time.js';
import { ActButton } from '../../parts/act-button.js';
import { Button, Field, Input } from '../../parts/controls.js';
import { Modal, ModalFoot } from '../../parts/modal.js';
import { Time, useZone } from '../../parts/time.js';
import { attempt } from '../../parts/toasts.js';
import { navigate } from '../../url/location.js';
import { paths } from '../../url/paths.js';

type Target = Pick<CronTrigger, 'step' | 'trigger'>;

/** What can be done with a trigger. */
export function SteerTrigger({ of: { step, trigger, paused, nextAt } }: { readonly of: CronTrigger }) {
  const [asking, setAsking] = useState<'pause' | 'skip'>();
  const target: Target = { step, trigger };
  const act = (work: () => Promise<unknown>, done: string): void => void attempt(work, done).then(() => refresh('/cron'));
  const run = async (): Promise<void> => {
    const { traceId } = await call('POST /run', { body: { kind: 'cron', ...target } });
    if (traceId) navigate(paths.trace(traceId));
  };
  const steer = (): void => act(() => call(`POST /cron/${paused ? 'resume' : 'pause'}`, { body: target }), paused ? `${step} runs again` : `${step} is paused`);
  return (
    <div className="row wrap">
      <ActButton look="primary" onClick={() => act(run, `${step} runs`)}>Run now</ActButton>
      <ActButton onClick={steer}>{paused ? 'Resume' : 'Pause'}</ActButton>
      <ActButton onClick={() => setAsking('pause')}>Pause until…</ActButton>
      {nextAt !== null && <ActButton aria-label={`Skip next run of ${step}`} onClick={() => setAsking('skip')}>Skip next…</ActButton>}
      {asking === 'pause' && <PauseUntil target={target} onClose={() => setAsking(undefined)} />}
      {asking === 'skip' && nextAt !== null && <SkipNext target={target} nextAt={nextAt} onClose={() => setAsking(undefined)} />}
    </div>
  );
}

/** Asks whether the tick that comes next is meant: it cannot be taken back. */
function SkipNext({ target, nextAt, onClose }: { readonly target: Target; readonly nextAt: string; readonly onClose: () => void }) {
  // The tick that was shown, also when it has passed meanwhile: then the engine refuses.
  const [at] = useState(nextAt);
  const zone = useZone();
  const skip = async (): Promise<void> => {
    const done = await attempt(() => call('POST /cron/skip', { body: { ...target, at } }), `${target.step} skips its next run, ${minuteTime(Date.parse(at), zone)}`);
    refresh('/cron');
    if (done) onClose();
  };
  return (
    <Modal title={`Skip a run of ${target.step}`} onClose={onClose}>
      <p>Its run of <Time at={at} precise={false} /> will not begin; the ones after it will. This cannot be taken back: <em>Run now</em> makes up for it.</p>
      <ModalFoot><Button onClick={onClose}>Cancel</Button><Button look="primary" onClick={() => void skip()}>Skip this run</Button></ModalFoot>
    </Modal>
  );
}

/** Asks for the end of a pause. */
function PauseUntil({ target, onClose }: { readonly target: Target; readonly onClose: () => void }) {
  const zone = useZone();
  const [text, setText] = useState('');
  const at = writtenTime(text, zone);
  const pause = async (until: number): Promise<void> => {
    const done = await attempt(() => call('POST /cron/pause', { body: { ...target, until: new Date(until).toISOString() } }), `${target.step} is paused`);
    refresh('/cron');
    if (done) onClose();
  };
  return (
    <Modal title={`Pause ${target.step}`} onClose={onClose}>
      <Field label={`Until, ${zone === 'utc' ? 'UTC' : 'local time'}`}><Input type="datetime-local" value={text} onChange={({ target: { value } }) => setText(value)} /></Field>
      <p className="muted">No run begins before that, also after a restart of the engine; nothing of it is caught up. A run at that very minute begins.</p>
      <ModalFoot><Button onClick={onClose}>Cancel</Button><Button look="primary" disabled={at === undefined} onClick={() => void (at !== undefined && pause(at))}>Pause</Button></ModalFoot>
    </Modal>
  );
}
