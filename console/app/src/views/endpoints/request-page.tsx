import { useRef, useState } from 'react';
import type { RunRecord } from '../../api/types.generated.js';
import { ApiError, call } from '../../api/client.js';
import { refresh, useApi } from '../../api/use-api.js';
import { useCommands } from '../../keys/commands.js';
import { useLiveStatus } from '../../live/use-live.js';
import { ActButton } from '../../parts/act-button.js';
import { Field, Input, Kbd } from '../../parts/controls.js';
import { copying } from '../../parts/copy.js';
import { Answer, Failed, Loading } from '../../parts/data-state.js';
import { NotThere } from '../../parts/not-there.js';
import { FileRef } from '../../parts/refs.js';
import { Method } from '../../parts/status-badge.js';
import { Tabs } from '../../parts/tabs.js';
import { toast } from '../../parts/toasts.js';
import { View } from '../../parts/view.js';
import { MOD } from '../../shell/top-bar.js';
import { Link } from '../../url/link.js';
import { useParam } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { BodyEditor } from './body-editor.js';
import { curlOf, fromCurl } from './curl-command.js';
import { type Endpoint, pathParams } from './endpoint.js';
import css from './endpoints.module.css';
import { QueryForm } from './query-form.js';
import { REQUEST_TEXTS } from './request-texts.js';
import { type Draft, firstDraft, requestOf } from './request.js';
import { ResponsePane } from './response-pane.js';
import { type NamedRun, useNamedRun } from './use-named-run.js';

const HISTORY = 20;

/** One endpoint: its request beside what it caused. */
export function RequestPage({ endpoint }: { readonly endpoint: Endpoint }) {
  const history = useApi('GET /history', { kind: 'http', target: `${endpoint.method} ${endpoint.path}`, limit: HISTORY });
  return (
    <View title={endpoint.step} bar={<><Link to="/endpoints">All endpoints</Link><span className="muted truncate">{endpoint.description}</span><FileRef file={endpoint.file} line={endpoint.line} /></>}>
      <Answer of={history} what="the history">{({ items }) => <FromHistory endpoint={endpoint} history={items} />}</Answer>
    </View>
  );
}

/** What is edited begins with the request of the address: it is waited for once. */
function FromHistory({ endpoint, history }: { readonly endpoint: Endpoint; readonly history: readonly RunRecord[] }) {
  const named = useNamedRun(endpoint, history);
  const begun = useRef(false);
  begun.current ||= named.state !== 'asked';
  return begun.current ? <Request endpoint={endpoint} history={history} named={named} /> : <Loading what="the request" />;
}

function Request({ endpoint, history, named }: { readonly endpoint: Endpoint; readonly history: readonly RunRecord[]; readonly named: NamedRun }) {
  const [req, setReq] = useParam('req');
  const { record } = named;
  const [draft, setDraft] = useState<Draft>(() => firstDraft(endpoint, record));
  const [busy, setBusy] = useState(false);
  const gone = useLiveStatus() === 'gone';
  const send = async (): Promise<void> => {
    setBusy(true);
    try {
      const sent = await call('POST /run', { body: requestOf(endpoint, draft) }, { timeoutMs: 125_000 });
      refresh('/history');
      refresh('/state/groups');
      refresh('/queues');
      setReq(sent.id);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      toast(error.message, 'bad');
    } finally {
      setBusy(false);
    }
  };
  const base = useApi('GET /meta').data?.addresses['http'] ?? '';
  useCommands([{ title: 'Send the request', keys: ['mod+Enter'], run: () => void (!busy && !gone && send()) }, copying('the request as curl', () => curlOf(base, requestOf(endpoint, draft))), ...REQUEST_TEXTS.map(([name, text]) => copying(`the request as ${name}`, () => text(base, requestOf(endpoint, draft))))]);
  const missing = pathParams(endpoint.path).filter((name) => (draft.params[name] ?? '') === '');
  return (
    <div className={css.split}>
      <section className={css.editor} aria-label="Request">
        <div className={css.path}>
          <Method method={endpoint.method} /><span className={`mono grow ${css.rest}`}>{endpoint.path}</span>
          <ActButton look="primary" disabled={busy || gone} onClick={() => void send()}>{gone ? 'The engine is gone' : busy ? 'Sending…' : <>Send <Kbd>{MOD} ↵</Kbd></>}</ActButton>
        </div>
        {missing.length > 0 && <p className="muted">Without a value: {missing.join(', ')}. It is sent all the same.</p>}
        <Parts endpoint={endpoint} draft={draft} onDraft={setDraft} />
        {history.length > 0 && <History items={record && !history.some(({ id }) => id === record.id) ? [...history, record] : history} current={record?.id ?? req} onPick={(record) => {
          setReq(record.id);
          setDraft(firstDraft(endpoint, record));
        }} />}
      </section>
      <section className={css.result} aria-label="Result" aria-live="polite"><Result of={named} req={req} endpoint={endpoint} former={formerOf(record, history)} /></section>
    </div>
  );
}

function Result({ of: { state, record, error }, req, endpoint, former }: { readonly of: NamedRun; readonly req: string; readonly endpoint: Endpoint; readonly former: RunRecord | undefined }) {
  if (state === 'asked') return <Loading what="the request" />;
  if (state === 'gone') return <NotThere what="request" name={req} to={paths.endpoint(endpoint.step, endpoint.trigger)} list="The latest request">{error?.message ?? `It was one for another endpoint than ${endpoint.method} ${endpoint.path}.`}</NotThere>;
  if (error) return <Failed what="the request" error={error} />;
  return <ResponsePane record={record} endpoint={endpoint} former={former} />;
}

/** Undefined also where it is not among the latest. */
function formerOf(record: RunRecord | undefined, history: readonly RunRecord[]): RunRecord | undefined {
  const at = history.findIndex(({ id }) => id === record?.id);
  return at < 0 ? undefined : history[at + 1];
}

const TABS = [{ id: 'form', title: 'Form' }, { id: 'json', title: 'JSON' }, { id: 'headers', title: 'Headers' }, { id: 'curl', title: 'curl' }];

function Parts({ endpoint, draft, onDraft }: { readonly endpoint: Endpoint; readonly draft: Draft; readonly onDraft: (draft: Draft) => void }) {
  const [tab, setTab] = useParam('as', 'form');
  const names = pathParams(endpoint.path);
  const tabs = endpoint.body ? TABS : TABS.filter(({ id }) => id !== 'json');
  return (
    <>
      <Tabs label="Parts of the request" tabs={tabs} current={tab} onPick={setTab} />
      {tab === 'headers' && <Field label="Headers, one a line"><textarea className={css.area} rows={5} spellCheck={false} value={draft.headers} onChange={(event) => onDraft({ ...draft, headers: event.target.value })} /></Field>}
      {tab === 'curl' && <Curl endpoint={endpoint} draft={draft} onDraft={onDraft} />}
      {(tab === 'form' || tab === 'json') && (
        <>
          {names.length > 0 && <div className={css.fields}>{names.map((name) => <Field key={name} label={name}><Input value={draft.params[name] ?? ''} onChange={(event) => onDraft({ ...draft, params: { ...draft.params, [name]: event.target.value } })} /></Field>)}</div>}
          {(endpoint.query ?? endpoint.method === 'GET') && <QueryForm schema={endpoint.query} text={draft.query} asForm={tab === 'form'} onText={(query) => onDraft({ ...draft, query })} />}
          {endpoint.body && <BodyEditor schema={endpoint.body} body={draft.body} asForm={tab === 'form'} onBody={(body) => onDraft({ ...draft, body })} />}
        </>
      )}
    </>
  );
}

function Curl({ endpoint, draft, onDraft }: { readonly endpoint: Endpoint; readonly draft: Draft; readonly onDraft: (draft: Draft) => void }) {
  const base = useApi('GET /meta').data?.addresses['http'] ?? '';
  const [text, setText] = useState(() => curlOf(base, requestOf(endpoint, draft)));
  return (
    <Field label="For a shell; what is pasted here fills the form">
      <textarea className={css.area} rows={8} spellCheck={false} value={text} onChange={(event) => {
        setText(event.target.value);
        const read = fromCurl(event.target.value, endpoint);
        if (read) onDraft(read);
      }} />
    </Field>
  );
}

function History({ items, current, onPick }: { readonly items: readonly RunRecord[]; readonly current: string; readonly onPick: (record: RunRecord) => void }) {
  return (
    <Field label="Sent before">
      <select className={css.area} style={{ minHeight: 0 }} value={current} onChange={(event) => {
        const record = items.find(({ id }) => id === event.target.value);
        if (record) onPick(record);
      }}>
        {!items.some(({ id }) => id === current) && <option value={current}>{current.slice(0, 8)} · not among these</option>}
        {items.map(({ id, at, outcome, request }) => <option key={id} value={id}>{at.slice(11, 23)} UTC · {outcome.kind === 'http' ? outcome.status : outcome.kind} · {request.kind === 'http' ? request.path : ''}</option>)}
      </select>
    </Field>
  );
}
