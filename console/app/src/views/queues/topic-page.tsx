import { useState } from 'react';
import type { QueueInfo, QueuesAnswer } from '../../api/types.generated.js';
import { useChanges } from '../../live/use-changes.js';
import { useSnapshot } from '../../live/use-snapshot.js';
import { call } from '../../api/client.js';
import { refresh } from '../../api/use-api.js';
import { ActButton } from '../../parts/act-button.js';
import { Badge } from '../../parts/controls.js';
import { Answer } from '../../parts/data-state.js';
import { StepRef } from '../../parts/refs.js';
import { Tabs } from '../../parts/tabs.js';
import { attempt } from '../../parts/toasts.js';
import { View } from '../../parts/view.js';
import { Link } from '../../url/link.js';
import { patchSearch, useParam } from '../../url/location.js';
import { WatchButton } from '../../watches/watch-button.js';
import { DeadLetters } from './dead-letters.js';
import { DoneMessages } from './done-messages.js';
import { isWaitingTab, Messages } from './messages.js';
import { PublishPanel } from './publish-panel.js';
import { PurgeDialog } from './purge-dialog.js';
import { UnroutedTopic } from './unrouted-topic.js';

const LISTS_MS = 2_000;

/** A topic: what waits, runs and is dead, for each of its consumers. */
export function TopicPage({ topic }: { readonly topic: string }) {
  const answer = useSnapshot('GET /queues');
  return (
    <View title={topic === '' ? 'State and stream changes' : topic} bar={<><Link to="/queues">All queues</Link><WatchButton watch={{ kind: 'topic', topic }} title="Notify when empty" /></>}>
      <Answer of={answer} what="the queue">
        {({ items, gone, unrouted }) => <Topic key={topic} topic={topic} lies={unrouted.find((one) => one.topic === topic)} consumers={items.filter((one) => one.topic === topic)} gone={gone.filter((one) => one.topic === topic)} />}
      </Answer>
    </View>
  );
}

interface TopicProps {
  readonly topic: string;
  /** What lies in it without a consumer. */
  readonly lies: QueuesAnswer['unrouted'][number] | undefined;
  readonly consumers: readonly QueueInfo[];
  readonly gone: readonly { readonly step: string; readonly dead: number }[];
}

function Topic({ topic, lies, consumers, gone }: TopicProps) {
  const dead = [...consumers, ...gone].reduce((sum, one) => sum + one.dead, 0);
  // It stays when the last dead letter goes: who redrives it looks at it.
  const [first] = useState(dead > 0 ? 'dead' : 'waiting');
  const [tab] = useParam('tab', first);
  // Always in the address: which one is there without it depends on what is dead.
  const setTab = (id: string): void => patchSearch({ tab: id });
  // What is listed below the counts; the age of the oldest tells of messages that come as others go.
  useChanges(JSON.stringify([consumers, gone]), () => refresh('GET /queues/search', { topic }), LISTS_MS);
  useChanges(String(dead), () => refresh('/queues/dead-letters'), LISTS_MS);
  const sum = (name: 'waiting' | 'active' | 'retrying'): number => consumers.reduce((total, one) => total + one[name] + (name === 'waiting' ? one.delayed : 0), 0);
  if (consumers.length === 0 && gone.length === 0) return <UnroutedTopic topic={topic} lies={lies} />;
  const tabs = [{ id: 'waiting', title: 'Waiting', count: sum('waiting') }, { id: 'active', title: 'Active', count: sum('active') }, { id: 'retrying', title: 'Retrying', count: sum('retrying') }, { id: 'dead', title: 'Dead', count: dead }, { id: 'done', title: 'Done' }, ...topic === '' ? [] : [{ id: 'publish', title: 'Enqueue' }]];
  return (
    <>
      {consumers.length === 0 && lies && <UnroutedTopic topic={topic} lies={lies} />}
      <div style={{ padding: '8px 16px' }} className="stack">{consumers.map((one) => <Consumer key={one.step} of={one} />)}</div>
      <Tabs label="Messages" tabs={tabs} current={tab} onPick={setTab} />
      {tab === 'dead' ? <DeadLetters topic={topic} /> : tab === 'done' ? <DoneMessages topic={topic} /> : tab === 'publish' && topic !== '' ? <PublishPanel topic={topic} /> : isWaitingTab(tab) && <Messages key={tab} topic={topic} tab={tab} />}
    </>
  );
}

function Consumer({ of: { step, topic, paused, fifo, waiting, delayed, retrying } }: { readonly of: QueueInfo }) {
  const [purging, setPurging] = useState(false);
  const there = waiting + delayed + retrying;
  const steer = (): void => void attempt(() => call(`POST /queues/${paused ? 'resume' : 'pause'}`, { body: { step, topic } }), paused ? `${step} goes on` : `${step} is paused`).then(() => refresh('/queues'));
  return <div className="row wrap"><span>handled by <StepRef step={step} /></span>{fifo && <Badge>in order by group</Badge>}{paused ? <Badge tone="warn">paused</Badge> : <Badge tone="ok">running</Badge>}<ActButton onClick={steer}>{paused ? 'Resume' : 'Pause'}</ActButton>{there > 0 && <ActButton look="danger" onClick={() => setPurging(true)}>Empty…</ActButton>}{purging && <PurgeDialog of={{ step, topic }} name={step} there={there} onClose={() => setPurging(false)} />}</div>;
}
