import type { AdminClient } from '../admin/admin-client.js';
import { topicName } from '../admin/show.js';

/** What became of a pause or resume. */
export interface PauseReport {
  readonly step: string;
  readonly topics: readonly string[];
  readonly paused: boolean;
}

/** The same for people. */
export function formatPause({ step, topics, paused }: PauseReport): string {
  return `${step} is ${paused ? 'paused' : 'running'}: ${topics.map(topicName).join(', ')}`;
}

/** Pauses or resumes a Step's subscriptions. @throws as `AdminClient` */
export async function setPaused(
  client: AdminClient, verb: 'pause' | 'resume', { step, topic }: { readonly step: string; readonly topic: string | undefined },
): Promise<PauseReport> {
  const { topics = topic === undefined ? [] : [topic] } = await client.post<{ readonly topics?: readonly string[] }>(['queues', verb], { step, topic });
  return { step, topics, paused: verb === 'pause' };
}
