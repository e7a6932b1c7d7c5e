import type { Meta, SpanRow, StepsAnswer, TraceSummary } from '../../api/types.generated.js';
import { plural } from '../../format/numbers.js';
import { Badge, Button, classes, Kbd, Panel } from '../../parts/controls.js';
import { FileRef } from '../../parts/refs.js';
import { taste } from '../../theme/taste.js';
import { Link } from '../../url/link.js';
import { MOD } from '../../shell/top-bar.js';
import { endpointsOf } from '../endpoints/endpoint.js';
import { Checks } from './checks.js';
import { FirstRequest } from './first-request.js';
import { FirstStart } from './first-start.js';
import css from './home.module.css';
import { useLatestRows } from './use-latest-rows.js';
import { WatchIt } from './watch-it.js';

/** The first minute: send, watch, change. */
export function FirstRun({ meta, steps, latest: runs }: { readonly meta: Meta; readonly steps: StepsAnswer; readonly latest: readonly TraceSummary[] }) {
  const endpoints = endpointsOf(steps.items);
  const first = endpoints.find(({ method, body }) => method === 'POST' && body) ?? endpoints.find(({ path }) => !path.includes(':')) ?? endpoints[0];
  const code = first ?? steps.items[0];
  const flows = new Set(steps.items.flatMap(({ config }) => config.flows ?? []));
  const latest = runs.find(({ kind }) => kind === 'server') ?? runs[0];
  const rows = useLatestRows(latest);
  const dismiss = (): void => taste.keep(`seen ${meta.root}`, 'yes');
  return (
    <>
      <div><h1 className={css.title}>Your app is running.</h1><p className="muted">{plural(steps.items.length, 'Step')} in {plural(flows.size, 'flow')}. {latest ? 'Something has run; look at it below.' : 'Nothing has run yet.'}</p></div>
      <div className={css.columns}>
        <div className="stack">
          {first ? <FirstRequest endpoint={first} /> : <FirstStart steps={steps.items} />}
          <WatchIt latest={latest} rows={rows} />
          <Panel title="3 · Change the code"><p>Save {code ? <FileRef file={code.file} line={code.line} /> : 'a Step'} and {first ? 'send' : 'run it'} again: the engine takes the new handler over at once.</p></Panel>
          <div><Link to="/" onClick={dismiss}>I know my way; show what is wrong now instead</Link></div>
        </div>
        <div className="stack">
          <FlowSketch steps={steps} rows={rows} />
          <Checks meta={meta} steps={steps} />
          <p className="muted"><Kbd>g</Kbd> then <Kbd>f</Kbd> flows · <Kbd>t</Kbd> traces · <Kbd>l</Kbd> logs · <Kbd>{MOD} K</Kbd> anything · <Kbd>?</Kbd> all keys</p>
        </div>
      </div>
    </>
  );
}

const MOST = 12;

/** Steps with their triggers, as links into the flow; those light up that take part in the latest run. */
function FlowSketch({ steps: { items, diagnostics }, rows }: { readonly steps: StepsAnswer; readonly rows: readonly SpanRow[] }) {
  const ran = new Map(rows.filter(({ name }) => name.startsWith('handler ')).map((span) => [span.stepName, span]));
  return (
    <Panel title={<span className="row"><span className="grow">Steps</span><Link to="/flows">See the flow</Link></span>}>
      <ul className="stack" style={{ gap: 4 }}>
        {items.slice(0, MOST).map(({ config }) => <li key={`${config.name} ${ran.get(config.name)?.spanId ?? ''}`} className={classes('row', ran.has(config.name) && css.ran)}><Link className="grow truncate" to={`/flows?step=${encodeURIComponent(config.name)}`}>{config.name}</Link>{ran.get(config.name)?.error && <Badge tone="bad">failed</Badge>}<span className="mono muted truncate">{config.triggers.map(triggerWords).join(', ')}</span></li>)}
        {items.length > MOST && <li className="muted">and {items.length - MOST} more</li>}
      </ul>
      {diagnostics.filter(({ severity }) => severity === 'error').map(({ message, file, line }) => <p key={message} className={`${css.check} ${css.bad}`}><span>{message} {file && <FileRef file={file} line={line} />}</span></p>)}
      {diagnostics.length === 0 && items.length === 0 && <Button disabled>Nothing was found</Button>}
    </Panel>
  );
}

/** `POST /tickets`, `ticket.created`, `0 9 * * *` */
export function triggerWords(trigger: StepsAnswer['items'][number]['config']['triggers'][number]): string {
  const text = (name: string): string => String(trigger[name] ?? '');
  if (trigger.type === 'http') return `${text('method')} ${text('path')}`;
  if (trigger.type === 'queue') return text('topic');
  if (trigger.type === 'cron') return text('expression');
  return `${trigger.type} ${text('group') || text('stream') || text('streamName')}`.trim();
}
