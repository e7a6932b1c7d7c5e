import { useState } from 'react';
import { call } from '../../api/client.js';
import { writeJson } from '../../api/json.js';
import type { RunRecord, StepRecord } from '../../api/types.generated.js';
import { refresh, useApi } from '../../api/use-api.js';
import { useCommands } from '../../keys/commands.js';
import { useSnapshot } from '../../live/use-snapshot.js';
import { ActButton } from '../../parts/act-button.js';
import { Button, Field, Input, Kbd } from '../../parts/controls.js';
import { Answer } from '../../parts/data-state.js';
import { faultOf } from '../../parts/json-fault.js';
import { attempt, toast } from '../../parts/toasts.js';
import { ScrollPage } from '../../parts/view.js';
import { MOD } from '../../shell/top-bar.js';
import { navigate } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { BodyEditor } from '../endpoints/body-editor.js';
import { type Schema, schemaOf } from '../endpoints/endpoint.js';
import css from '../endpoints/endpoints.module.css';
import { lastMessage } from './last-message.js';
import { firstMessage, type MessageDraft, messageFault, messageOf, sampleMessage } from './message-draft.js';

/** Enqueues a message by hand and follows its trace. */
export function PublishPanel({ topic }: { readonly topic: string }) {
  const steps = useSnapshot('GET /steps');
  const history = useApi('GET /history', { kind: 'queue', target: topic, limit: 1 });
  return (
    <ScrollPage label="Enqueue">
      <p>A message to “{topic}”, as a Step would enqueue it.</p>
      <Answer of={steps} what="the schema of its messages">{({ items }) => <Answer of={history} what="the history">{({ items: [last] }) => <MessageForm topic={topic} schema={messageSchema(items, topic)} last={last} />}</Answer>}</Answer>
    </ScrollPage>
  );
}

/** That of the first Step that says one: each holds messages to its own. */
function messageSchema(steps: readonly StepRecord[], topic: string): Schema | undefined {
  return steps.flatMap(({ config }) => config.triggers).filter((trigger) => trigger.type === 'queue' && trigger['topic'] === topic).map((trigger) => schemaOf(trigger['input'])).find((schema) => schema !== undefined);
}

function MessageForm({ topic, schema, last }: { readonly topic: string; readonly schema: Schema | undefined; readonly last: RunRecord | undefined }) {
  const [draft, setDraft] = useState<MessageDraft>(() => firstMessage(schema, last));
  const [asForm, setForm] = useState(schema !== undefined);
  const fault = messageFault(draft);
  const send = (): void => void attempt(async () => {
    const record = await call('POST /run', { body: messageOf(topic, draft) });
    refresh('/queues');
    refresh('/traces');
    refresh('/history');
    if (record.traceId) navigate(paths.trace(record.traceId));
  }, `Enqueued to ${topic}`);
  const fill = (): void => void attempt(async () => {
    const payload = await lastMessage(topic);
    if (payload === undefined) toast('No message of this topic was handled, as far as traces are kept', 'bad');
    else setDraft({ ...draft, payload: writeJson(payload, 2) });
  });
  useCommands([{ title: 'Enqueue', keys: ['mod+Enter'], run: () => void (fault === undefined && send()) }]);
  return (
    <>
      <div className="row wrap">
        {schema && <Button on={asForm} onClick={() => setForm(!asForm)}>As a form</Button>}
        {schema && <Button onClick={() => setDraft({ ...draft, payload: sampleMessage(schema).payload })}>Sample of its schema</Button>}
        <Button onClick={fill}>Last message handled</Button>
      </div>
      <BodyEditor label="Payload" broken="Its consumer makes it a dead letter at once." schema={schema} body={draft.payload} asForm={asForm} onBody={(payload) => setDraft({ ...draft, payload })} />
      <Options draft={draft} onDraft={setDraft} />
      {fault !== undefined && faultOf(draft.payload) === undefined && <p role="alert" className="muted">{fault}</p>}
      <div><ActButton look="primary" disabled={fault !== undefined} onClick={send}>Enqueue <Kbd>{MOD} ↵</Kbd></ActButton></div>
    </>
  );
}

function Options({ draft, onDraft }: { readonly draft: MessageDraft; readonly onDraft: (draft: MessageDraft) => void }) {
  const field = (name: 'delay' | 'group' | 'dedupeKey', label: string) => <Field label={label}><Input value={draft[name]} onChange={(event) => onDraft({ ...draft, [name]: event.target.value })} /></Field>;
  return (
    <details open={draft.delay !== '' || draft.group !== '' || draft.headers !== ''}>
      <summary>Delay, group, headers</summary>
      <div className="stack">
        <div className={css.fields}>{field('delay', 'Delay, in seconds')}{field('group', 'Group: in order with others of it')}{field('dedupeKey', 'Key of deduplication')}</div>
        <Field label="Headers, one a line"><textarea className={css.area} rows={2} spellCheck={false} value={draft.headers} onChange={(event) => onDraft({ ...draft, headers: event.target.value })} /></Field>
      </div>
    </details>
  );
}
