import type { Finding, Meta, TraceSummary } from '../../api/types.generated.js';
import { useSnapshot } from '../../live/use-snapshot.js';
import { Badge, Button, Panel } from '../../parts/controls.js';
import type { Tone } from '../../parts/tone.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Answer, Empty } from '../../parts/data-state.js';
import { FileRef } from '../../parts/refs.js';
import { taste } from '../../theme/taste.js';
import { Link } from '../../url/link.js';
import { navigate } from '../../url/location.js';
import { TraceRow } from '../traces/trace-row.js';
import css from './home.module.css';

const TONES: Readonly<Record<Finding['severity'], Tone>> = { error: 'bad', warning: 'warn', info: 'info' };
const ORDER = ['error', 'warning', 'info'] as const;

/** Findings, the worst first, and the latest runs. */
export function WhatIsWrong({ meta, latest: items }: { readonly meta: Meta; readonly latest: readonly TraceSummary[] }) {
  const findings = useSnapshot('GET /findings');
  const longest = Math.max(1, ...items.map(({ durationMs }) => durationMs));
  return (
    <>
      <Answer of={findings} what="findings">
        {({ items: found }) => (found.length === 0 ? <h1 className={css.title}>Nothing is wrong.</h1> : (
          <><h1 className={css.title}>What is wrong now</h1><Panel><ul>{ORDER.flatMap((severity) => found.filter((one) => one.severity === severity)).map((one) => <Line key={one.id} of={one} />)}</ul></Panel></>
        ))}
      </Answer>
      <h2>Latest runs</h2>
      {items.length === 0 ? <Empty title="Nothing has run yet"><Link to="/endpoints">Send a request</Link></Empty> : <div className={css.runs}>{items.map((trace) => <div key={trace.traceId}><TraceRow trace={trace} longest={longest} current={false} marked={false} /></div>)}</div>}
      <div><Button look="plain" onClick={() => {
        localStorage.removeItem(`treadle.seen ${meta.root}`);
        taste.keep('first-run', 'again');
        navigate('/');
      }}>Show the first steps again</Button></div>
    </>
  );
}

function Line({ of: { severity, message, remedy, path, file, line, fix, count } }: { readonly of: Finding }) {
  return (
    <li className={css.finding}>
      <Badge tone={TONES[severity]}>{severity}</Badge>
      <span className="grow"><strong>{path ? <Link to={path}>{message}</Link> : message}</strong>{count !== undefined && count > 1 && <span className="muted"> ({count})</span>}<br /><span className="muted">{remedy}</span> {file && <FileRef file={file} line={line} />}</span>
      {fix && <CopyButton text={fix} label="Copy fix" />}
    </li>
  );
}
