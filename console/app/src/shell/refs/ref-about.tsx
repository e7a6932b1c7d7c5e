import type { ReactNode } from 'react';
import { useApi } from '../../api/use-api.js';
import { duration } from '../../format/duration.js';
import { count, plural } from '../../format/numbers.js';
import { Badge, Pairs } from '../../parts/controls.js';
import { Answer } from '../../parts/data-state.js';
import { preview } from '../../parts/json-tree.js';
import type { RefKind } from '../../parts/refs.js';
import { Time } from '../../parts/time.js';

interface Props {
  readonly id: string;
  readonly group: string;
}

const PREVIEW = 240;

/** Of each kind what is worth a look before one goes there. */
export const ABOUT: Readonly<Record<RefKind, ((props: Props) => ReactNode) | undefined>> = { trace: AboutTrace, step: AboutStep, topic: AboutTopic, key: AboutKey, file: undefined };

function AboutTrace({ id }: Props) {
  return (
    <Answer of={useApi('GET /traces', { q: `trace:${id}`, limit: 1 })} what="the trace">
      {({ items: [one] }) => (one ? <Pairs items={[['Of', one.name], ['Ended', <Badge key="end" tone={one.errors > 0 ? 'bad' : 'ok'}>{one.errors > 0 ? plural(one.errors, 'error') : 'ok'}</Badge>], ['Settled', duration(one.durationMs)], ['Spans', one.spans], one.steps.length > 0 && ['Steps', one.steps.join(' → ')], ['Began', <Time key="at" at={one.startTime} />]]} /> : <p>It is not kept: it has given way to later ones, or was not sampled.</p>)}
    </Answer>
  );
}

function AboutStep({ id }: Props) {
  return (
    <Answer of={useApi('GET /flows')} what="the Step">
      {({ nodes }) => {
        const node = nodes.find((one) => one.kind === 'step' && one.step === id);
        if (node?.kind !== 'step') return <p>No Step of this name is known now.</p>;
        return <Pairs items={[['Starts by', node.triggers.map(({ label }) => label).join(', ')], ['Code', <span key="code" className="mono">{node.file}{node.line !== undefined && `:${node.line}`}</span>], ['Runs', node.runs ? `${count(node.runs.count)}, p95 ${duration(node.runs.p95Ms)}` : 'not yet'], node.runs && node.runs.errors > 0 && ['Failed', <Badge key="failed" tone="bad">{count(node.runs.errors)}</Badge>]]} />;
      }}
    </Answer>
  );
}

function AboutTopic({ id }: Props) {
  return (
    <Answer of={useApi('GET /queues')} what="the queue">
      {({ items }) => {
        const consumers = items.filter(({ topic }) => topic === id);
        const sum = (name: 'waiting' | 'active' | 'dead'): string => count(consumers.reduce((total, one) => total + one[name], 0));
        return <Pairs items={[['Consumers', consumers.map(({ step }) => step).join(', ') || 'none'], ['Waiting', sum('waiting')], ['In flight', sum('active')], ['Dead', sum('dead')]]} />;
      }}
    </Answer>
  );
}

function AboutKey({ id, group }: Props) {
  return <Answer of={useApi('GET /state/groups/{group}/keys/{key}', { group, key: id })} what="the value">{({ value, revision }) => <><Pairs items={[['Revision', revision]]} /><p className="mono">{preview(value, PREVIEW)}</p></>}</Answer>;
}
