import type { HttpOutcome, RunRecord } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';
import { bytes } from '../../format/numbers.js';
import { readJson } from '../../api/json.js';
import { WITHHELD } from '../../api/withheld.js';
import { ButtonLink, Pairs } from '../../parts/controls.js';
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
import css from './endpoints.module.css';

const TABS = [{ id: 'effects', title: 'Effects' }, { id: 'body', title: 'Response' }, { id: 'response-headers', title: 'Headers' }];

/** What came back, and everything that the request caused. `file`: that of the Step; `former`: the one that was sent before it. */
export function ResponsePane({ record, file, former }: { readonly record: RunRecord | undefined; readonly file: string; readonly former: RunRecord | undefined }) {
  const [tab, setTab] = useParam('tab', 'effects');
  if (!record) return <Empty title="Not sent yet"><p>The reply comes here, and then its whole effect: Steps, state with before and after, messages and logs until it has settled.</p></Empty>;
  const { outcome } = record;
  if (outcome.kind !== 'http') return <Empty title="It did not get through"><p>{outcome.kind === 'failed' ? outcome.detail : outcome.kind}</p></Empty>;
  return (
    <>
      <div className="row wrap"><HttpStatus status={outcome.status} /><span>{duration(record.durationMs)}</span><span className="muted">first byte {duration(outcome.firstByteMs)}, {bytes(outcome.bytes)}</span>{record.traceId && <TraceRef id={record.traceId} />}{record.traceId && former?.traceId && <ButtonLink to={paths.comparison(former.traceId, record.traceId)}>Compare with the former</ButtonLink>}{!record.withheld && <SaveAsTest of={record} file={file} />}</div>
      <Tabs label="Of the result" tabs={TABS} current={tab} onPick={setTab} />
      {tab === 'body' ? (record.withheld ? <p className="muted" role="note">What was sent and answered, {bytes(outcome.bytes)}, is {outcome.body === WITHHELD ? 'withheld: your access shows no payloads' : 'for operators to see'}.</p> : <Body outcome={outcome} />) : tab === 'response-headers' ? <Pairs items={outcome.headers.map(([name, value]) => [name, <span key={name} className="mono">{value}</span>])} /> : record.traceId ? <Effects key={record.traceId} traceId={record.traceId} at={record.at} /> : <p className="muted">It left no trace: recording is sampled or switched off.</p>}
    </>
  );
}

function Body({ outcome: { body, base64, truncated, bytes: size } }: { readonly outcome: HttpOutcome }) {
  if (size === 0) return <p className="muted">The answer has no body.</p>;
  if (base64) return <p>{bytes(size)} that are no text.</p>;
  return <div className="stack">{truncated && <p className="muted">The first 1 MiB of {bytes(size)}.</p>}<div><CopyButton text={body} /></div>{parsed(body)}</div>;
}

function parsed(body: string) {
  try {
    return <JsonTree value={readJson(body)} />;
  } catch {
    return <pre className={`mono ${css.rest}`}>{body}</pre>; // Text of another kind is shown as it is.
  }
}
