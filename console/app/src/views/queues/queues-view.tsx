import { usePath } from '../../url/location.js';
import { matchPath } from '../../url/match-path.js';
import { QueueOverview } from './queue-overview.js';
import { TopicPage } from './topic-page.js';

/** The name that stands in addresses for the subscription of state and stream changes. */
export const CHANGES = '(changes)';

export default function QueuesView() {
  const topic = matchPath('/queues/:topic', usePath())?.['topic'];
  return topic === undefined ? <QueueOverview /> : <TopicPage key={topic} topic={topic === CHANGES ? '' : topic} />;
}
