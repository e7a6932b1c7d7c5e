import type { StepNode } from '../../api/types.generated.js';
import { useSnapshot } from '../../live/use-snapshot.js';
import { refresh, useApi } from '../../api/use-api.js';
import { useChanges } from '../../live/use-changes.js';
import { duration } from '../../format/duration.js';
import { useCommands } from '../../keys/commands.js';
import { useEditorKey } from '../../keys/use-editor-key.js';
import { Badge, Button, ButtonLink, Kbd, Pairs } from '../../parts/controls.js';
import { Answer } from '../../parts/data-state.js';
import { JsonTree } from '../../parts/json-tree.js';
import { FileRef, TraceRef } from '../../parts/refs.js';
import { Tabs } from '../../parts/tabs.js';
import { Time } from '../../parts/time.js';
import { Inspector } from '../../parts/view.js';
import { navigate, patchSearch, useParam } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { LastFailure } from './last-failure.js';
import { runPath } from './run-path.js';
import { SourceLines } from './source-lines.js';

const RUNS = 20;
const TABS = [{ id: 'runs', title: 'Last runs' }, { id: 'source', title: 'Source' }, { id: 'config', title: 'Config' }];

/** A Step: how it runs, its source and its config. */
export function StepInspector({ node, onClose, onFollow }: { readonly node: StepNode; readonly onClose: () => void; readonly onFollow: (traceId: string) => void }) {
  const [line] = useParam('line');
  // A line is one of the source.
  const [tab] = useParam('tab', line === '' ? 'runs' : 'source');
  const setTab = (id: string): void => patchSearch({ tab: id === 'runs' ? null : id, line: null });
  useEditorKey(node.file, node.line);
  const run = runPath(node);
  useCommands([...run === undefined ? [] : [{ title: 'Run the Step with…', keys: ['r'], run: () => navigate(run) }], { title: 'Traces of the Step', keys: ['t'], run: () => navigate(paths.traces(`step:${node.step}`)) }, { title: 'Logs of the Step', keys: ['l'], run: () => navigate(paths.logs(`step:${node.step}`)) }]);
  return (
    <Inspector title={node.title} onClose={onClose}>
      <Pairs items={[['Code', <FileRef key="file" file={node.file} line={node.line} />], ['Starts by', node.triggers.map(({ label, type }) => `${type} ${label}`).join(', ')], node.flows.length > 0 && ['Flows', node.flows.join(', ')], node.runs && ['Runs', `${node.runs.count}, ${node.runs.errors} failed, p50 ${duration(node.runs.p50Ms)}, p95 ${duration(node.runs.p95Ms)}`]]} />
      {node.diagnostics.map(({ message, remedy, severity }) => <p key={message}><Badge tone={severity === 'error' ? 'bad' : 'warn'}>{severity}</Badge> {message}. {remedy}</p>)}
      <div className="row wrap">{run !== undefined && <ButtonLink look="primary" to={run}>Run with… <Kbd>r</Kbd></ButtonLink>}<ButtonLink to={paths.traces(`step:${node.step}`)}>Traces</ButtonLink><ButtonLink to={paths.logs(`step:${node.step}`)}>Logs</ButtonLink></div>
      {(node.runs?.errors ?? 0) > 0 && <LastFailure node={node} />}
      <Tabs label="Of the Step" tabs={TABS} current={tab} onPick={setTab} />
      {tab === 'source' ? <Source step={node.step} around={line} /> : tab === 'config' ? <Config step={node.step} /> : <Runs step={node.step} known={String(node.runs?.count)} onFollow={onFollow} />}
    </Inspector>
  );
}

function Runs({ step, known, onFollow }: { readonly step: string; readonly known: string; readonly onFollow: (traceId: string) => void }) {
  const answer = useApi('GET /traces', { step, limit: RUNS });
  useChanges(known, () => refresh('GET /traces', { step }), 0);
  return (
    <Answer of={answer} what="its runs">
      {({ items }) => (items.length === 0 ? <p className="muted">It has not run, as far as spans are kept.</p> : <ul className="stack">{items.map((trace) => <li key={trace.traceId} className="row"><Badge tone={trace.errors > 0 ? 'bad' : 'ok'}>{trace.errors > 0 ? 'error' : 'ok'}</Badge><TraceRef id={trace.traceId} /><span className="num">{duration(trace.durationMs)}</span><span className="muted grow truncate"><Time at={trace.startTime} /></span><Button onClick={() => onFollow(trace.traceId)}>Follow</Button></li>)}</ul>)}
    </Answer>
  );
}

/** Around a line of the file, else around that of the config. */
function Source({ step, around }: { readonly step: string; readonly around: string }) {
  const answer = useApi('GET /steps/{id}/source', { id: step, lines: 200, ...around !== '' && { around } });
  return <Answer of={answer} what="the source">{(source) => <SourceLines source={source} />}</Answer>;
}

function Config({ step }: { readonly step: string }) {
  return <Answer of={useSnapshot('GET /steps')} what="its config">{({ items }) => <JsonTree value={items.find(({ config }) => config.name === step)?.config} />}</Answer>;
}
