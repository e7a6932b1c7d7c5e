import { useState } from 'react';
import type { RunRecord } from '../../api/types.generated.js';
import { call } from '../../api/client.js';
import { refresh, useApi } from '../../api/use-api.js';
import { useCommands } from '../../keys/commands.js';
import { useEditorKey } from '../../keys/use-editor-key.js';
import { ActButton } from '../../parts/act-button.js';
import { Kbd, Panel } from '../../parts/controls.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Method } from '../../parts/status-badge.js';
import { attempt } from '../../parts/toasts.js';
import { useTimeMarks } from '../../parts/use-time-marks.js';
import { MOD } from '../../shell/top-bar.js';
import { Link } from '../../url/link.js';
import { paths } from '../../url/paths.js';
import { type Endpoint } from '../endpoints/endpoint.js';
import { Effects } from '../endpoints/effects.js';
import { curlOf } from '../endpoints/curl-command.js';
import { firstDraft, requestOf } from '../endpoints/request.js';
import { HttpStatus } from '../../parts/status-badge.js';
import css from './home.module.css';

/** What was sent last; it stays while the page does, so that Back shows it again. */
let last: RunRecord | undefined;

/** A request that is filled in: one key sends it, and its whole effect shows. */
export function FirstRequest({ endpoint }: { readonly endpoint: Endpoint }) {
  const [draft, setDraft] = useState(() => firstDraft(endpoint, last));
  const [record, setRecord] = useState(last);
  const [busy, setBusy] = useState(false);
  const base = useApi('GET /meta').data?.addresses['http'] ?? '';
  const send = async (): Promise<void> => {
    setBusy(true);
    await attempt(async () => {
      last = await call('POST /run', { body: requestOf(endpoint, draft) });
      setRecord(last);
    });
    setBusy(false);
    refresh('/traces');
    refresh('/history');
  };
  const reloaded = useTimeMarks(true).findLast((mark) => mark.of === 'Steps')?.at ?? 0;
  const changed = record !== undefined && reloaded > Date.parse(record.at);
  useEditorKey(endpoint.file, endpoint.line);
  useCommands([{ title: 'Send the first request', keys: ['mod+Enter'], run: () => void (!busy && send()) }]);
  return (
    <Panel title="1 · Send the first request">
      <p className="muted">{endpoint.body ? <>Filled from <code>bodySchema</code> of {endpoint.step}.</> : endpoint.step} Edit it or just press Enter.</p>
      <div className="row"><Method method={endpoint.method} /><Link className="mono grow truncate" to={paths.endpoint(endpoint.step, endpoint.trigger)}>{endpoint.path}</Link><Send busy={busy} onSend={() => void send()} /></div>
      {endpoint.body && <textarea className={css.body} aria-label="Body" spellCheck={false} rows={draft.body.split('\n').length} value={draft.body} onChange={(event) => setDraft({ ...draft, body: event.target.value })} />}
      <div className="row wrap"><span className="muted">or from your shell</span><CopyButton text={() => curlOf(base, requestOf(endpoint, draft))} label="Copy curl" /></div>
      {record?.outcome.kind === 'http' && <div className="row"><HttpStatus status={record.outcome.status} /><span>answered</span></div>}
      {record?.outcome.kind === 'failed' && <p role="alert">{record.outcome.detail}</p>}
      {changed && <p role="status">A Step was loaded anew since. Send it again? <Kbd>{MOD} ↵</Kbd></p>}
      {record?.traceId && <Effects key={record.traceId} traceId={record.traceId} at={record.at} />}
    </Panel>
  );
}

function Send({ busy, onSend }: { readonly busy: boolean; readonly onSend: () => void }) {
  return <ActButton look="primary" autoFocus disabled={busy} onClick={onSend}>{busy ? 'Sending…' : <>Send <Kbd>{MOD} ↵</Kbd></>}</ActButton>;
}
