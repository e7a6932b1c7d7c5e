import { useSnapshot } from '../live/use-snapshot.js';
import { count } from '../format/numbers.js';
import { paths } from '../url/paths.js';
import { useTold } from './use-told.js';
import { WatchChip } from './watch-chip.js';

/** A topic until nothing waits, runs or is retried. */
export function TopicWatch({ topic, onLeave }: { readonly topic: string; readonly onLeave: () => void }) {
  const { data, error } = useSnapshot('GET /queues');
  const consumers = data?.items.filter((one) => one.topic === topic);
  const left = consumers?.reduce((sum, { waiting, delayed, active, retrying }) => sum + waiting + delayed + active + retrying, 0);
  const dead = [...consumers ?? [], ...data?.gone.filter((one) => one.topic === topic) ?? []].reduce((sum, one) => sum + one.dead, 0);
  const [tone, word] = left === undefined ? (error ? ['bad', 'not known'] as const : ['plain', '…'] as const) : left > 0 ? ['info', `${count(left)} left`] as const : dead > 0 ? ['bad', `empty, ${count(dead)} dead`] as const : ['ok', 'empty'] as const;
  const [to, name] = [paths.topic(topic), topic === '' ? 'state and stream changes' : topic];
  useTold(left === 0 ? `${name} is empty${dead > 0 ? `, with ${count(dead)} dead` : ''}` : undefined, dead > 0 ? 'bad' : 'ok', to, { known: left !== undefined });
  return <WatchChip to={to} name={name} tone={tone} word={word} version={left === undefined ? '' : left > 0 ? 'busy' : 'empty'} onLeave={onLeave} />;
}
