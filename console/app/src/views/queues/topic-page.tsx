import type { QueueInfo } from '../../api/types.generated.js';
import { useSnapshot } from '../../live/use-snapshot.js';
import { call } from '../../api/client.js';
import { refresh } from '../../api/use-api.js';
import { Badge, Button } from '../../parts/controls.js';
import { Answer, Empty } from '../../parts/data-state.js';
import { StepRef } from '../../parts/refs.js';
import { Tabs } from '../../parts/tabs.js';
import { attempt } from '../../parts/toasts.js';
import { View } from '../../parts/view.js';
import { Link } from '../../url/link.js';
import { useParam } from '../../url/location.js';
import { DeadLetters } from './dead-letters.js';
import { Messages } from './messages.js';
import { PublishPanel } from './publish-panel.js';

/** A topic: what waits, runs and is dead, for each of its consumers. */
export function TopicPage({ topic }: { readonly topic: string }) {
  const answer = useSnapshot('GET /queues');
  return (
    <View title={topic === '' ? 'State and stream changes' : topic} bar={<Link to="/queues">All queues</Link>}>
      <Answer of={answer} what="the queue">
        {({ items, gone }) => <Topic topic={topic} consumers={items.filter((one) => one.topic === topic)} gone={gone.filter((one) => one.topic === topic)} />}
      </Answer>
    </View>
  );
}

interface TopicProps {
  readonly topic: string;
  readonly consumers: readonly QueueInfo[];
  readonly gone: readonly { readonly step: string; readonly dead: number }[];
}

function Topic({ topic, consumers, gone }: TopicProps) {
  const dead = [...consumers, ...gone].reduce((sum, one) => sum + one.dead, 0);
  const [tab, setTab] = useParam('tab', dead > 0 ? 'dead' : 'waiting');
  const sum = (name: 'waiting' | 'active' | 'retrying'): number => consumers.reduce((total, one) => total + one[name] + (name === 'waiting' ? one.delayed : 0), 0);
  if (consumers.length === 0 && gone.length === 0) return <Empty title="Nobody consumes this topic"><p>Messages that are enqueued to “{topic}” wait until a Step with <code>queue('{topic}')</code> is there.</p></Empty>;
  const tabs = [{ id: 'waiting', title: 'Waiting', count: sum('waiting') }, { id: 'active', title: 'Active', count: sum('active') }, { id: 'retrying', title: 'Retrying', count: sum('retrying') }, { id: 'dead', title: 'Dead', count: dead }, ...topic === '' ? [] : [{ id: 'publish', title: 'Enqueue' }]];
  return (
    <>
      <div style={{ padding: '8px 16px' }} className="stack">{consumers.map((one) => <Consumer key={one.step} of={one} />)}</div>
      <Tabs label="Messages" tabs={tabs} current={tab} onPick={setTab} />
      {tab === 'dead' ? <DeadLetters topic={topic} /> : tab === 'publish' ? <PublishPanel topic={topic} /> : <Messages consumers={consumers} topic={topic} tab={tab} />}
    </>
  );
}

function Consumer({ of: { step, topic, paused, fifo } }: { readonly of: QueueInfo }) {
  const steer = (): void => void attempt(() => call(`POST /queues/${paused ? 'resume' : 'pause'}`, { body: { step, topic } }), paused ? `${step} goes on` : `${step} is paused`).then(() => refresh('/queues'));
  return <div className="row wrap"><span>handled by <StepRef step={step} /></span>{fifo && <Badge>in order by group</Badge>}{paused ? <Badge tone="warn">paused</Badge> : <Badge tone="ok">running</Badge>}<Button onClick={steer}>{paused ? 'Resume' : 'Pause'}</Button></div>;
}
