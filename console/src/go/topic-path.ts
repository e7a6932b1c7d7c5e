/** The page of a topic. Changes of state and streams have no topic; the page has a word for them. */
export function topicPath(topic: string): string {
  return `/queues/${encodeURIComponent(topic === '' ? '(changes)' : topic)}`;
}
