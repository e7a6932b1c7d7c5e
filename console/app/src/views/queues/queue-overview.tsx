import { useMemo, useState } from 'react';
import type { QueueInfo, QueueRate, QueuesAnswer } from '../../api/types.generated.js';
import { useChanges } from '../../live/use-changes.js';
import { useSnapshot } from '../../live/use-snapshot.js';
import { refresh, useApi } from '../../api/use-api.js';
import { age } from '../../format/duration.js';
import { count } from '../../format/numbers.js';
import { useRowKeys } from '../../keys/use-row-keys.js';
import { Badge } from '../../parts/controls.js';
import { Answer, Empty, Fault, Note } from '../../parts/data-state.js';
import { StepRef, TopicRef } from '../../parts/refs.js';
import table from '../../parts/table.module.css';
import { View } from '../../parts/view.js';
import { VirtualTable } from '../../parts/virtual-table.js';
import { navigate } from '../../url/location.js';
import { paths } from '../../url/paths.js';

const ROW = 34;
const RATES_MS = 3_000;

/** Subscriptions with what waits in them. */
export function QueueOverview() {
  const answer = useSnapshot('GET /queues');
  return <View title="Queues" bar={<span className="muted">topics and the Steps that consume them</span>}><Answer of={answer} what="queues">{(queues) => <Overview queues={queues} />}</Answer></View>;
}

function Overview({ queues: { items, gone, unrouted } }: { readonly queues: QueuesAnswer }) {
  // While something goes in or out it is asked again; when that begins, the queues change.
  const rates = useApi('GET /queues/rates', {}, { every: (found) => (found?.items.some((one) => one.enqueuedPerSecond > 0 || one.settledPerSecond > 0) ? RATES_MS : false) });
  useChanges(items.map(({ waiting, delayed, active, retrying, dead }) => [waiting, delayed, active, retrying, dead].join()).join(' '), () => refresh('GET /queues/rates'), RATES_MS);
  const rateOf = useMemo(() => new Map(rates.data?.items.map((one) => [`${one.step} ${one.topic}`, one])), [rates.data]);
  const [at, setAt] = useState(-1);
  const rows = [...items].sort((a, b) => b.dead - a.dead || b.waiting - a.waiting || a.topic.localeCompare(b.topic));
  useRowKeys(rows.length, at, { onMove: setAt, onOpen: (index) => void (rows[index] && navigate(paths.topic(rows[index].topic))) });
  if (items.length === 0 && gone.length === 0 && unrouted.length === 0) return <Empty title="No Step consumes a topic"><p>A Step with a queue trigger appears here:</p><pre>{"triggers: [queue('order.created')]"}</pre></Empty>;
  return (
    <>
      <Fault of={rates} what="the rates" />
      {unrouted.map(({ topic, count: messages, oldestAgeMs }) => <Note key={topic}>{count(messages)} messages of <TopicRef topic={topic} /> wait for a consumer, the oldest for {age(oldestAgeMs)}.</Note>)}
      <VirtualTable<QueueInfo>
        items={rows} keyOf={(row) => `${row.step} ${row.topic}`} label="Subscriptions" rowHeight={ROW} current={at}
        head={<><th>Topic</th><th>Consumer</th><th className={table.num}>Waiting</th><th className={`${table.num} ${table.narrow}`}>Oldest</th><th className={`${table.num} ${table.narrow}`}>In flight</th><th className={`${table.num} ${table.narrow}`}>Retrying</th><th className={table.num}>Dead</th><th className={`${table.num} ${table.narrow}`}>In / out per s</th><th className={table.narrow}>State</th></>}
        render={(row) => <Cells row={row} rate={rateOf.get(`${row.step} ${row.topic}`)} />}
      >
        {gone.map(({ step, topic, dead }) => <tr key={`${step} ${topic}`}><td><TopicRef topic={topic} tab="dead" /></td><td className="muted">{step}, no longer there</td><td /><td className={table.narrow} /><td className={table.narrow} /><td className={table.narrow} /><td className={table.num}><Badge tone="bad">{count(dead)}</Badge></td><td className={table.narrow} /><td className={table.narrow} /></tr>)}
      </VirtualTable>
    </>
  );
}

function Cells({ row, rate }: { readonly row: QueueInfo; readonly rate: QueueRate | undefined }) {
  return (
    <>
      <td><TopicRef topic={row.topic} /></td><td><StepRef step={row.step} /></td>
      <td className={table.num}>{count(row.waiting + row.delayed)}</td><td className={`${table.num} ${table.narrow}`}>{row.oldestAgeMs === undefined ? '–' : age(row.oldestAgeMs)}</td>
      <td className={`${table.num} ${table.narrow}`}>{count(row.active)}</td><td className={`${table.num} ${table.narrow}`}>{count(row.retrying)}</td>
      <td className={table.num}>{row.dead > 0 ? <Badge tone="bad">{count(row.dead)}</Badge> : '0'}</td>
      <td className={`${table.num} ${table.narrow}`}>{rate ? `${rate.enqueuedPerSecond.toFixed(1)} / ${rate.settledPerSecond.toFixed(1)}` : ''}{rate?.drainMs !== undefined && <span className="muted"> · empty in {age(rate.drainMs)}</span>}</td>
      <td className={table.narrow}>{row.paused ? <Badge tone="warn">paused</Badge> : <Badge tone="ok">running</Badge>}</td>
    </>
  );
}
