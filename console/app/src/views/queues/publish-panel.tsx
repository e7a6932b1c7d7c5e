import { useState } from 'react';
import { call } from '../../api/client.js';
import { readJson } from '../../api/json.js';
import { refresh } from '../../api/use-api.js';
import { ActButton } from '../../parts/act-button.js';
import { Kbd } from '../../parts/controls.js';
import { JsonEditor } from '../../parts/json-editor.js';
import { attempt } from '../../parts/toasts.js';
import { ScrollPage } from '../../parts/view.js';
import { useCommands } from '../../keys/commands.js';
import { navigate } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { faultOf } from '../../parts/json-fault.js';

/** Enqueues a message by hand and follows its trace. */
export function PublishPanel({ topic }: { readonly topic: string }) {
  const [text, setText] = useState('{\n  \n}');
  const fault = faultOf(text);
  const send = (): void => void attempt(async () => {
    const record = await call('POST /run', { body: { kind: 'queue', topic, data: readJson(text) } });
    refresh('/queues');
    refresh('/traces');
    if (record.traceId) navigate(paths.trace(record.traceId));
  }, `Enqueued to ${topic}`);
  useCommands([{ title: 'Enqueue', keys: ['mod+Enter'], run: () => void (fault === undefined && send()) }]);
  return (
    <ScrollPage label="Enqueue">
      <p>A message to “{topic}”, as a Step would enqueue it.</p>
      <JsonEditor label="Payload" value={text} onChange={setText} />
      {fault && <p role="alert" className="muted">{fault}</p>}
      <div><ActButton look="primary" disabled={fault !== undefined} onClick={send}>Enqueue <Kbd>⌘↵</Kbd></ActButton></div>
    </ScrollPage>
  );
}
