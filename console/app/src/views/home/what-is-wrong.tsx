import type { Finding, Meta, TraceSummary } from '../../api/types.generated.js';
import { useSnapshot } from '../../live/use-snapshot.js';
import { Badge, Button, Panel } from '../../parts/controls.js';
import type { Tone } from '../../parts/tone.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Answer, Empty } from '../../parts/data-state.js';
import { FileRef } from '../../parts/refs.js';
import { Time } from '../../parts/time.js';
import type { TimeMark } from '../../parts/time-marks.js';
import { useTimeMarks } from '../../parts/use-time-marks.js';
import { taste } from '../../theme/taste.js';
import { Link } from '../../url/link.js';
import { navigate } from '../../url/location.js';
import { TraceRow } from '../traces/trace-row.js';
import css from './home.module.css';

const TONES: Readonly<Record<Finding['severity'], Tone>> = { error: 'bad', warning: 'warn', info: 'info' };
const ORDER = ['error', 'warning', 'info'] as const;

/** Findings, the worst first, and the latest runs. */
export function WhatIsWrong({ meta, latest: runs }: { readonly meta: Meta; readonly latest: readonly TraceSummary[] }) {
  const findings = useSnapshot('GET /findings');
  const longest = Math.max(1, ...runs.map(({ durationMs }) => durationMs));
  return (
    <>
      <Answer of={findings} what="findings">
        {({ items }) => <Found items={items} />}
      </Answer>
      <h2>Latest runs</h2>
      {runs.length === 0 ? <Empty title="Nothing has run yet"><Link to="/endpoints">Send a request</Link></Empty> : <div className={css.runs}>{runs.map((trace) => <div key={trace.traceId}><TraceRow trace={trace} longest={longest} current={false} marked={false} /></div>)}</div>}
      <div><Button look="plain" onClick={() => {
        localStorage.removeItem(`treadle.seen ${meta.root}`);
        taste.keep('first-run', 'again');
        navigate('/');
      }}>Show the first steps again</Button></div>
    </>
  );
}

/** What is wrong now, and below it what was. */
function Found({ items }: { readonly items: readonly Finding[] }) {
  const reloads = useTimeMarks(true).filter(({ of }) => of === 'Steps');
  const lines = (found: readonly Finding[]) => <Panel><ul>{ORDER.flatMap((severity) => found.filter((one) => one.severity === severity)).map((one) => <Line key={one.id} of={one} reload={reloads.findLast(({ at }) => at > (one.lastAt ?? Infinity))} />)}</ul></Panel>;
  const [now, was] = [items.filter((one) => !one.was), items.filter((one) => one.was)];
  return (
    <>
      <h1 className={css.title}>{now.length === 0 ? 'Nothing is wrong.' : 'What is wrong now'}</h1>
      {now.length > 0 && lines(now)}
      {was.length > 0 && <><h2>What was wrong, and is over</h2>{lines(was)}</>}
    </>
  );
}

function Line({ of: { severity, message, remedy, path, file, line, fix, count, firstAt, lastAt, was }, reload }: { readonly of: Finding; readonly reload: TimeMark | undefined }) {
  return (
    <li className={css.finding}>
      {was ? <Badge tone="ok">over</Badge> : <Badge tone={TONES[severity]}>{severity}</Badge>}
      <span className="grow">
        <strong>{path ? <Link to={path}>{message}</Link> : message}</strong>{count !== undefined && count > 1 && <span className="muted"> ({count})</span>}
        {lastAt !== undefined && <span className="muted"> {firstAt !== undefined && firstAt !== lastAt && <>first <Time at={firstAt} />, </>}last <Time at={lastAt} /></span>}
        {reload && <> <Badge tone="info" title={reload.text}>code loaded anew since</Badge></>}
        <br /><span className="muted">{remedy}</span> {file && <FileRef file={file} line={line} />}
      </span>
      {fix && <CopyButton text={fix} label="Copy fix" />}
    </li>
  );
}
