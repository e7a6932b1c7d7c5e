import { useState } from 'react';
import { call } from '../../api/client.js';
import type { CronTrigger } from '../../api/types.generated.js';
import { refresh } from '../../api/use-api.js';
import { writtenTime } from '../../format/time.js';
import { Button, Field, Input } from '../../parts/controls.js';
import { Modal, ModalFoot } from '../../parts/modal.js';
import { useZone } from '../../parts/time.js';
import { attempt } from '../../parts/toasts.js';
import { navigate } from '../../url/location.js';
import { paths } from '../../url/paths.js';

type Target = Pick<CronTrigger, 'step' | 'trigger'>;

/** What can be done with a trigger. */
export function SteerTrigger({ of: { step, trigger, paused, nextAt } }: { readonly of: CronTrigger }) {
  const [asking, setAsking] = useState(false);
  const target: Target = { step, trigger };
  const act = (work: () => Promise<unknown>, done: string): void => void attempt(work, done).then(() => refresh('/cron'));
  const run = async (): Promise<void> => {
    const { traceId } = await call('POST /run', { body: { kind: 'cron', ...target } });
    if (traceId) navigate(paths.trace(traceId));
  };
  const steer = (): void => act(() => call(`POST /cron/${paused ? 'resume' : 'pause'}`, { body: target }), paused ? `${step} runs again` : `${step} is paused`);
  return (
    <div className="row wrap">
      <Button look="primary" onClick={() => act(run, `${step} runs`)}>Run now</Button>
      <Button onClick={steer}>{paused ? 'Resume' : 'Pause'}</Button>
      <Button onClick={() => setAsking(true)}>Pause until…</Button>
      {nextAt !== null && <Button aria-label={`Skip next run of ${step}`} title="It cannot be taken back; run it by hand instead" onClick={() => act(() => call('POST /cron/skip', { body: { ...target, at: nextAt } }), `${step} skips its next run`)}>Skip next</Button>}
      {asking && <PauseUntil target={target} onClose={() => setAsking(false)} />}
    </div>
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
