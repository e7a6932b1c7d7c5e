import type { CronTrigger, Finding, QueuesAnswer } from '../contract/index.js';

/** A message that waits longer is worth a word; milliseconds. */
const OLD_MS = 60_000;

/** What is wrong with messages and runs of triggers. */
export function queueFindings({ items, gone, unrouted }: QueuesAnswer, cron: readonly CronTrigger[]): readonly Finding[] {
  return [
    ...[...items, ...gone].filter(({ dead }) => dead > 0).map(({ step, topic, dead }): Finding => ({
      id: `dead_letters:${step}:${topic}`, severity: 'error', code: 'dead_letters', message: `${dead} dead letters of ${step}${ofTopic(topic)}`, remedy: 'mend what made them fail, then redrive them',
      about: { step, topic }, count: dead,
    })),
    ...items.filter(({ oldestAgeMs = 0, paused }) => oldestAgeMs > OLD_MS && !paused).map(({ step, topic, oldestAgeMs = 0 }): Finding => ({
      id: `old_messages:${step}:${topic}`, severity: 'warning', code: 'old_messages', message: `the oldest message of ${step}${ofTopic(topic)} has waited for more than ${wholeMinutes(oldestAgeMs)} min`,
      remedy: 'look whether its process is up, and whether its concurrency is enough', about: { step, topic },
    })),
    ...items.filter(({ paused }) => paused).map(({ step, topic, waiting }): Finding => ({
      id: `subscription_paused:${step}:${topic}`, severity: 'info', code: 'subscription_paused', message: `${step}${ofTopic(topic)} is paused; ${waiting} wait`, remedy: 'resume it', about: { step, topic }, count: waiting,
    })),
    ...unrouted.map(({ topic, count }): Finding => ({
      id: `unrouted_messages:${topic}`, severity: 'warning', code: 'unrouted_messages', message: `${count} messages lie in the topic ${topic}, which nobody consumes`, remedy: 'add a Step with a queue trigger for it, or purge it',
      about: { topic }, count,
    })),
    ...cron.filter(({ lastRun }) => lastRun?.status === 'failed' || lastRun?.status === 'abandoned').map(({ step, trigger, lastRun }): Finding => ({
      id: `cron_failing:${step}:${trigger}`, severity: 'error', code: 'cron_failing', message: `the last cron run of ${step} ${lastRun?.status ?? ''}: ${lastRun?.error ?? ''}`, remedy: 'look at its trace',
      about: { step }, ...lastRun && { path: `/traces/${lastRun.traceId}` },
    })),
  ];
}

function ofTopic(topic: string): string {
  return topic === '' ? ' (changes)' : ` in ${topic}`;
}

function wholeMinutes(ms: number): number {
  return Math.floor(ms / 60_000);
}
