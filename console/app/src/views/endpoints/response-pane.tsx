import type { HttpOutcome, RunRecord } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';
import { bytes, plural } from '../../format/numbers.js';
import { readJson } from '../../api/json.js';
import { WITHHELD } from '../../api/withheld.js';
import { Badge, Button, ButtonLink, Pairs } from '../../parts/controls.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Empty } from '../../parts/data-state.js';
import { JsonTree } from '../../parts/json-tree.js';
import { TraceRef } from '../../parts/refs.js';
import { SaveAsTest } from '../../parts/save-as-test.js';
import { HttpStatus } from '../../parts/status-badge.js';
import { Tabs } from '../../parts/tabs.js';
import { useParam } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { Effects } from './effects.js';
import type { Endpoint } from './endpoint.js';
import css from './endpoints.module.css';
import { checkReply, type ReplyCheck } from './reply-check.js';

/** Places that are named. */
const MOST_ISSUES = 20;
const TABS = [{ id: 'effects', title: 'Effects' }, { id: 'body', title: 'Response' }, { id: 'response-headers', title: 'Headers' }];

/** What came back, and everything that the request caused. `former`: the one that was sent before it. */
export function ResponsePane({ record, endpoint, former }: { readonly record: RunRecord | undefined; readonly endpoint: Endpoint; readonly former: RunRecord | undefined }) {
  const [tab, setTab] = useParam('tab', 'effects');
  if (!record) return <Empty title="Not sent yet"><p>The reply comes here, and then its whole effect: Steps, state with before and after, messages and logs until it has settled.</p></Empty>;
  const { outcome, withheld } = record;
  if (outcome.kind !== 'http') return <Empty title="It did not get through"><p>{outcome.kind === 'failed' ? outcome.detail : outcome.kind}</p></Empty>;
  const check = withheld ? undefined : checkReply(endpoint, outcome);
  return (
    <>
      <div className="row wrap"><HttpStatus status={outcome.status} />{check && <Contract check={check} status={outcome.status} onShow={() => setTab('body')} />}<span>{duration(record.durationMs)}</span><span className="muted">first byte {duration(outcome.firstByteMs)}, {bytes(outcome.bytes)}</span>{record.traceId && <TraceRef id={record.traceId} />}{record.traceId && former?.traceId && <ButtonLink to={paths.comparison(former.traceId, record.traceId)}>Compare with the former</ButtonLink>}{!withheld && <SaveAsTest of={record} file={endpoint.file} />}</div>
      <Tabs label="Of the result" tabs={TABS} current={tab} onPick={setTab} />
      {tab === 'body' ? (withheld ? <p className="muted" role="note">What was sent and answered, {bytes(outcome.bytes)}, is {outcome.body === WITHHELD ? 'withheld: your access shows no payloads' : 'for operators to see'}.</p> : <Body outcome={outcome} check={check} />) : tab === 'response-headers' ? <Pairs items={outcome.headers.map(([name, value]) => [name, <span key={name} className="mono">{value}</span>])} /> : record.traceId ? <Effects key={record.traceId} traceId={record.traceId} at={record.at} /> : <p className="muted">It left no trace: recording is sampled or switched off.</p>}
    </>
  );
}

/** Whether it is what the trigger declares. */
function Contract({ check, status, onShow }: { readonly check: ReplyCheck; readonly status: number; readonly onShow: () => void }) {
  switch (check.is) {
    case 'fits': return <Badge tone="ok" title={`It fits what the Step declares for ${status}`}>as declared</Badge>;
    case 'undeclared': return <Badge tone="warn" title="The Step declares schemas, and none for this status">no schema for {status}</Badge>;
    case 'unchecked': return <Badge title={check.why}>schema not checked</Badge>;
    case 'breaks': return <Button look="plain" onClick={onShow}><Badge tone="bad">breaks its schema in {plural(check.issues.length, 'place')}</Badge></Button>;
  }
}

function Body({ outcome: { body, base64, truncated, bytes: size }, check }: { readonly outcome: HttpOutcome; readonly check: ReplyCheck | undefined }) {
  const said = check?.is === 'breaks' ? <Issues of={check.issues} /> : check?.is === 'unchecked' && <p className="muted">The answer was not held to its schema: {check.why}.</p>;
  if (size === 0) return <>{said}<p className="muted">The answer has no body.</p></>;
  if (base64) return <>{said}<p>{bytes(size)} that are no text.</p></>;
  return <div className="stack">{said}{truncated && <p className="muted">The first 1 MiB of {bytes(size)}.</p>}<div><CopyButton text={body} /></div>{parsed(body)}</div>;
}

function Issues({ of }: { readonly of: readonly string[] }) {
  return <ul className={css.issue} aria-label="What the answer breaks">{of.slice(0, MOST_ISSUES).map((issue) => <li key={issue}>{issue}</li>)}{of.length > MOST_ISSUES && <li className="muted">and {plural(of.length - MOST_ISSUES, 'further place')}</li>}</ul>;
}

function parsed(body: string) {
  try {
    return <JsonTree value={readJson(body)} />;
  } catch {
    return <pre className={`mono ${css.rest}`}>{body}</pre>; // Text of another kind is shown as it is.
  }
}
