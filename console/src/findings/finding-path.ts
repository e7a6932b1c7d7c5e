import type { Finding } from '../contract/index.js';
import { topicPath } from '../go/topic-path.js';

/** Where in the page one sees what a finding is about and does something about it; its own path comes first. */
export function findingPath({ code, path, about: { step, topic, module }, file }: Finding): string | undefined {
  if (path !== undefined) return path;
  switch (code) {
    case 'unrouted_messages': case 'topic_without_consumer': case 'topic_without_producer': case 'subscription_paused': case 'old_messages': return topic === undefined ? undefined : topicPath(topic);
    case 'dead_letters': return topic === undefined ? undefined : `${topicPath(topic)}?tab=dead`;
    case 'worker_crash': return '/modules?tab=workers';
    case 'sampled': return '/modules?tab=config';
    case 'memory_adapter': return module === undefined ? undefined : `/modules/${encodeURIComponent(module)}`;
    default: return step !== undefined ? `/flows?step=${encodeURIComponent(step)}` : file === undefined ? undefined : `/flows?file=${encodeURIComponent(file)}`;
  }
}
