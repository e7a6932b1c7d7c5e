import { useState } from 'react';
import type { DeadLetter } from '../../api/types.generated.js';
import { call } from '../../api/client.js';
import { readJson, writeJson } from '../../api/json.js';
import { refresh, useApi } from '../../api/use-api.js';
import { duration } from '../../format/duration.js';
import { ActButton } from '../../parts/act-button.js';
import { Badge, Button, ButtonLink, Field, Pairs } from '../../parts/controls.js';
import controls from '../../parts/controls.module.css';
import { Answer } from '../../parts/data-state.js';
import { JsonEditor } from '../../parts/json-editor.js';
import { faultOf } from '../../parts/json-fault.js';
import { JsonTree } from '../../parts/json-tree.js';
import { StepRef, TopicRef } from '../../parts/refs.js';
import { Time } from '../../parts/time.js';
import { attempt } from '../../parts/toasts.js';
import { Inspector } from '../../parts/view.js';
import { Stack } from '../traces/stack.js';
import { navigate } from '../../url/location.js';
import { paths } from '../../url/paths.js';

/** One dead letter: what it carries, how each attempt failed, and its way back. */
export function LetterInspector({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const answer = useApi('GET /queues/dead-letters/{id}', { id });
  return <Inspector title={`Dead letter ${id}`} onClose={onClose}><Answer of={answer} what="the dead letter">{(letter) => <Letter letter={letter} onGone={onClose} />}</Answer></Inspector>;
}

function Letter({ letter, onGone }: { readonly letter: DeadLetter; readonly onGone: () => void }) {
  const [edited, setEdited] = useState<string>();
  const [toStep, setToStep] = useState('');
  const others = useApi('GET /queues').data?.items.filter(({ topic, step }) => topic === letter.topic && step !== letter.step) ?? [];
  const fault = edited === undefined ? undefined : faultOf(edited);
  const redrive = (): void => void attempt(async () => {
    await call('POST /queues/dead-letters/redrive', { body: { ids: [letter.id], ...toStep !== '' && { toStep }, ...edited !== undefined && { data: readJson(edited) } } });
    refresh('/queues');
    onGone();
  }, `Letter ${letter.id} is delivered ${toStep === '' ? 'again' : `to ${toStep}`}`);
  const replay = (): void => void attempt(async () => {
    const { topic, headers, groupId } = letter;
    const data = edited === undefined ? letter.data : readJson(edited);
    const { traceId } = await call('POST /run', { body: { kind: 'queue', topic, data, ...headers && { headers }, ...groupId !== undefined && { messageGroupId: groupId } } });
    if (traceId !== undefined) navigate(paths.comparison(letter.traceId, traceId, letter.step));
  });
  const last = letter.errors.at(-1);
  return (
    <>
      <Pairs items={[
        ['Step', <StepRef key="step" step={letter.step} />], ['Topic', <TopicRef key="topic" topic={letter.topic} />], ['Reason', letter.reason.replaceAll('_', ' ')], ['Dead since', <Time key="dead" at={letter.deadAt} />],
        ['Enqueued', <Time key="at" at={letter.enqueuedAt} />], ['Message', <span key="id" className="mono">{letter.messageId}</span>], letter.groupId !== undefined && ['Group', letter.groupId],
      ]} />
      {others.length > 0 && <Field label="Redrive to"><select className={controls.button} value={toStep} onChange={(event) => setToStep(event.target.value)}><option value="">{letter.step}, where it died</option>{others.map(({ step }) => <option key={step}>{step}</option>)}</select></Field>}
      <div className="row wrap">
        <ActButton look="primary" disabled={fault !== undefined} onClick={redrive}>{edited === undefined ? 'Redrive' : 'Redrive with this payload'}</ActButton>
        {letter.kind === 'queue' && <ActButton disabled={fault !== undefined} onClick={replay} title={`A new message to every Step that consumes ${letter.topic}; the letter stays`}>Replay and compare</ActButton>}
        <Button on={edited !== undefined} onClick={() => setEdited(edited === undefined ? writeJson(letter.data, 2) : undefined)}>Edit payload</Button>
        <ButtonLink to={paths.trace(letter.traceId)}>Trace</ButtonLink>
      </div>
      {edited === undefined ? <JsonTree value={letter.data} /> : <><JsonEditor label="Payload" value={edited} onChange={setEdited} />{fault && <p role="alert" className="muted">{fault}</p>}</>}
      <h3>Attempts</h3>
      <ol className="stack">{letter.errors.map((error) => (
        <li key={error.attempt}><div className="row wrap"><Badge tone="bad">attempt {error.attempt}</Badge><Time at={error.at} />{error.ms !== undefined && <span className="muted">{duration(error.ms)}</span>}</div><p>{error.name && <strong>{error.name}: </strong>}{error.message}</p></li>
      ))}</ol>
      {last?.stack && <Stack text={last.stack} />}
    </>
  );
}
