import { useMemo } from 'react';
import type { FileNode, Finding, FlowGraph, StepNode, TraceView } from '../../api/types.generated.js';
import { useSnapshot } from '../../live/use-snapshot.js';
import { useApi } from '../../api/use-api.js';
import { count, plural } from '../../format/numbers.js';
import { useCommands } from '../../keys/commands.js';
import { Badge, Button, Kbd } from '../../parts/controls.js';
import controls from '../../parts/controls.module.css';
import { copying } from '../../parts/copy.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Answer, type Answered, Empty, Fault, Note } from '../../parts/data-state.js';
import { Tabs } from '../../parts/tabs.js';
import { NotThere } from '../../parts/not-there.js';
import { Columns, Content, Inspector, View } from '../../parts/view.js';
import { patchSearch, useParam, withSearch } from '../../url/location.js';
import { FileInspector } from './file-inspector.js';
import { flowOf } from './flow-of.js';
import { mermaidOf } from './mermaid.js';
import { Outline } from './outline.js';
import { busyAt } from './recorded.js';
import { Scrub, useMoment } from './scrub.js';
import { StepInspector } from './step-inspector.js';
import { useRecorded } from './use-recorded.js';
import { lazily } from '../../parts/lazily.js';

const Graph = lazily(() => import('./graph.js'), 'the graph');
// What the view is opened for, as a rule: it comes along with the answer of the engine instead of after it.
Graph.begin();
const TABS = [{ id: 'graph', title: 'Graph' }, { id: 'outline', title: 'Outline' }, { id: 'findings', title: 'Declared and observed' }];

/** Steps and topics, as declared and as the kept spans show them. */
export default function FlowsView() {
  return <Answer of={useSnapshot('GET /flows')} what="flows">{(graph) => (graph.nodes.length === 0 ? <View title="Flows"><Empty title="No Steps were found"><p>The engine looked for <code>*.step.ts</code> and <code>*_step.py</code> in <code>./steps</code>.</p></Empty></View> : <Flows graph={graph} />)}</Answer>;
}

function Flows({ graph }: { readonly graph: FlowGraph }) {
  const [flow, setFlow] = useParam('flow');
  const [step] = useParam('step');
  const [file] = useParam('file');
  const setStep = (next: string | null): void => patchSearch({ step: next, line: null, file: null });
  const [tab, setTab] = useParam('as', 'graph');
  const [stores, setStores] = useParam('stores');
  const [trace, setTrace] = useParam('trace');
  const findings = useSnapshot('GET /findings');
  const differing = findings.data?.items.filter(({ code }) => ['undeclared_enqueue', 'enqueue_never_seen', 'topic_without_consumer', 'topic_without_producer', 'enqueue_cycle', 'step_diagnostic'].includes(code));
  const shown = useMemo(() => flowOf(graph, flow, stores !== ''), [graph, flow, stores]);
  const [scrubs] = useParam('scrub');
  const [from] = useParam('from');
  const [to] = useParam('to');
  const recorded = useRecorded(scrubs !== '', from, to);
  const [at] = useMoment(recorded.times);
  const [path, follows] = useFollowed(trace);
  const followed = scrubs === '' ? path : new Set(busyAt(recorded.times, at).map(({ node }) => node));
  const selected = graph.nodes.find((node): node is StepNode => node.kind === 'step' && node.step === step);
  useCommands([copying('the flow as Mermaid', () => mermaidOf(shown))]);
  useFlowCommands(shown.nodes, step, setStep, { outline: () => setTab(tab === 'outline' ? 'graph' : 'outline'), isGraph: tab === 'graph' });
  return (
    <View title="Flows" bar={<>
      <select className={controls.button} aria-label="Flow" value={flow} onChange={(event) => setFlow(event.target.value || null)}><option value="">all flows</option>{[...graph.flows, ...flow === '' || graph.flows.includes(flow) ? [] : [flow]].map((name) => <option key={name}>{name}</option>)}</select>
      <Button on={stores !== ''} onClick={() => setStores(stores === '' ? 'shown' : null)}>State and streams</Button>
      <Button on={scrubs !== ''} onClick={() => patchSearch({ scrub: scrubs === '' ? 'shown' : null, at: null, from: null, to: null, speed: null })}>Recorded time</Button>
      <CopyButton text={() => mermaidOf(shown)} label="Copy Mermaid" />
      <span className="muted">observed in {plural(graph.observed.spans, 'span')}</span>
      {trace !== '' && <Button onClick={() => setTrace(null)}>{path ? 'Following' : 'Not following'} {trace.slice(0, 8)} ✕</Button>}
    </>}>
      {follows.error && (path ? <Fault of={follows} what="the trace" /> : <Note>The trace {trace.slice(0, 8)} is not followed: {follows.error.message} <Button look="plain" onClick={() => void follows.refetch()}>Try again</Button></Note>)}
      <Tabs label="How the flow is shown" tabs={TABS.map((one) => (one.id === 'findings' ? { ...one, ...differing && { count: differing.length } } : one))} current={tab} onPick={setTab} />
      <Columns>
        <Content>
          {flow !== '' && !graph.flows.includes(flow) ? <NotThere what="flow" name={flow} to={withSearch({ flow: null })} list="All flows" /> : tab === 'outline' ? <Outline graph={shown} onPick={setStep} selected={step || file} /> : tab === 'findings' ? <Answer of={findings} what="findings">{() => <Differences items={differing ?? []} onStep={setStep} />}</Answer> : <Graph graph={shown} selected={step || file} followed={followed} onPick={setStep} onFlow={setFlow} />}
          {scrubs !== '' && tab === 'graph' && <Scrub {...recorded} />}
        </Content>
        {step === '' && file !== '' && <FileInspector key={file} file={file} node={graph.nodes.find((node): node is FileNode => node.kind === 'file' && node.file === file)} onClose={() => setStep(null)} />}
        {selected ? <StepInspector key={selected.step} node={selected} onClose={() => setStep(null)} onFollow={setTrace} /> : step !== '' && <Inspector title={step} onClose={() => setStep(null)}><NotThere what="Step" name={step} to="/flows?as=outline" list="All Steps" /></Inspector>}
      </Columns>
    </View>
  );
}

/** Steps and topics that a trace passed; undefined when none is followed, or while it is not there. */
function useFollowed(trace: string): readonly [ReadonlySet<string> | undefined, Answered<TraceView>] {
  const answer = useApi('GET /traces/{id}', { id: trace, limit: 5000 }, { enabled: trace !== '' });
  const { data } = answer;
  if (trace === '' || !data) return [undefined, answer];
  return [new Set(data.rows.flatMap(({ stepName, attributes }) => [`step:${stepName}`, `topic:${String(attributes['messaging.destination.name'])}`, `step:${String(attributes['step.name'])}`])), answer];
}

function useFlowCommands(nodes: FlowGraph['nodes'], step: string, setStep: (step: string | null) => void, { outline, isGraph }: { readonly outline: () => void; readonly isGraph: boolean }): void {
  const steps = nodes.filter((node): node is StepNode => node.kind === 'step');
  const at = steps.findIndex((one) => one.step === step);
  const failing = [...steps.slice(at + 1), ...steps.slice(0, at + 1)].find(({ runs }) => (runs?.errors ?? 0) > 0);
  useCommands([
    // In the graph arrows follow what is drawn.
    { title: 'Next Step', keys: ['j', ...isGraph ? [] : ['ArrowDown', 'ArrowRight']], quiet: true, run: () => setStep(steps[Math.min(steps.length - 1, at + 1)]?.step ?? null) },
    { title: 'Previous Step', keys: ['k', ...isGraph ? [] : ['ArrowUp', 'ArrowLeft']], quiet: true, run: () => setStep(steps[Math.max(0, at - 1)]?.step ?? null) },
    { title: 'Next failing Step', keys: ['n'], run: () => void (failing && setStep(failing.step)) },
    { title: 'Graph or outline', keys: ['o'], run: outline },
  ]);
}

function Differences({ items, onStep }: { readonly items: readonly Finding[]; readonly onStep: (step: string) => void }) {
  if (items.length === 0) return <Empty title="What was seen is what was declared"><p>Topics that are enqueued without a declaration, or declared and never enqueued, would stand here. <Kbd>o</Kbd> shows the outline.</p></Empty>;
  return <div style={{ overflow: 'auto' }} tabIndex={0} role="region" aria-label="Findings">{items.map(({ id, message, remedy, about, fix, count: times, severity }) => <Note key={id}><Badge tone={severity === 'error' ? 'bad' : 'warn'}>{severity}</Badge><span className="grow">{message}{times !== undefined && ` (${count(times)})`}. {remedy}</span>{about.step !== undefined && <Button onClick={() => onStep(about.step ?? '')}>Show</Button>}{fix && <CopyButton text={fix} label="Copy fix" />}</Note>)}</div>;
}
