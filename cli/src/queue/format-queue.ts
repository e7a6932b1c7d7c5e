import type { Json } from '@treadle/api';
import { duration, moreLine, plain, pretty, preview, time, topicName } from '../admin/show.js';
import { count, formatTable } from '../terminal/table.js';
import type { QueueOverview, Subscription } from './subscription.js';

/** A message that waits. */
export interface PeekedMessage {
  readonly messageId: string;
  readonly data: Json;
  readonly groupId?: string;
  readonly attempts: number;
  readonly enqueuedAt: string;
  readonly dueAt?: string;
  readonly active: boolean;
}

/** A message that nobody will try again by itself. */
export interface DeadLetter {
  readonly id: string;
  readonly step: string;
  readonly topic: string;
  readonly reason: string;
  readonly deadAt: string;
  readonly messageId: string;
  readonly data: Json;
  readonly headers?: Readonly<Record<string, string>>;
  readonly groupId?: string;
  readonly traceId: string;
  readonly enqueuedAt: string;
  readonly attempts: number;
  readonly deaths: number;
  readonly errors: readonly LetterError[];
}

interface LetterError {
  readonly at?: string;
  /** e.g. `unhandled_exception`, `worker_lost`. */
  readonly code?: string;
  readonly name?: string;
  readonly message?: string;
  readonly stack?: string;
}

export interface DeadLetterPage {
  readonly items: readonly DeadLetter[];
  readonly cursor?: string;
}

/** All subscriptions, dead letters of those that are gone, what waits for nobody, and a line that sums it up. */
export function formatOverview({ items: subscriptions, gone = [], unrouted }: QueueOverview): string {
  if (subscriptions.length + gone.length + unrouted.length === 0) return 'No Step is subscribed to anything.';
  const header = ['STEP', 'TOPIC', 'STATE', 'WAITING', 'DELAYED', 'RETRYING', 'ACTIVE', 'DEAD', 'OLDEST'];
  const rows = [...subscriptions.map(row), ...gone.map(goneRow)];
  const lines = rows.length === 0 ? [] : [formatTable([header, ...rows])];
  for (const { topic, count: waiting, oldestAgeMs } of unrouted) {
    lines.push(`${count(waiting, 'message')} without a subscriber in topic ${topic}, the oldest of ${duration(oldestAgeMs)}`);
  }
  const sum = (pick: (one: Subscription) => number): number => subscriptions.reduce((all, one) => all + pick(one), 0);
  const waiting = sum((one) => one.waiting + one.delayed + one.retrying);
  const dead = [...subscriptions, ...gone].reduce((all, one) => all + one.dead, 0);
  return [...lines, `${count(subscriptions.length, 'subscription')}, ${waiting} waiting, ${sum((one) => one.active)} active, ${dead} dead.`].join('\n');
}

/** What waits, head first. */
export function formatMessages(items: readonly PeekedMessage[], { step, topic }: Pick<Subscription, 'step' | 'topic'>): string {
  if (items.length === 0) return `Nothing waits for ${step} in ${topicName(topic)}.`;
  const rows = items.map(({ messageId, groupId = '-', attempts, active, dueAt, enqueuedAt, data }) => [
    messageId, plain(groupId), String(attempts), active ? 'active' : stateOf(dueAt), time(enqueuedAt), preview(data),
  ]);
  return formatTable([['MESSAGE', 'GROUP', 'FAILED', 'STATE', 'ENQUEUED', 'DATA'], ...rows]);
}

/** Dead letters, newest first. */
export function formatLetters({ items, cursor }: DeadLetterPage): string {
  if (items.length === 0) return 'No dead letters.';
  const rows = items.map(({ id, step, topic, reason, deadAt, attempts, errors }) => [
    id, step, topicName(topic), reason, String(attempts), time(deadAt), errorText(errors.at(-1)),
  ]);
  const table = formatTable([['ID', 'STEP', 'TOPIC', 'REASON', 'FAILED', 'DEAD SINCE', 'LAST ERROR'], ...rows]);
  return [table, `${count(items.length, 'dead letter')}; "treadle queue dlq --id <id>" shows all of one.`, ...moreLine(cursor)].join('\n');
}

/** Everything that is known of one. */
export function formatLetter(letter: DeadLetter): string {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['step', letter.step], ['topic', topicName(letter.topic)], ['reason', letter.reason], ['dead since', time(letter.deadAt)],
    ['message', letter.messageId], ['enqueued', time(letter.enqueuedAt)], ['group', letter.groupId], ['trace', letter.traceId],
    ['failed', `${count(letter.attempts, 'time')}, the worker died ${count(letter.deaths, 'time')}`],
    ['headers', letter.headers && JSON.stringify(letter.headers)],
  ];
  const rows = facts.flatMap(([name, value]) => (value === undefined ? [] : [[`  ${name}`, value]]));
  const errors = letter.errors.map((error) => `  ${whenOf(error)}${errorText(error, 500)}`);
  return [
    `dead letter ${letter.id}`, formatTable(rows), ...errors.length > 0 ? ['errors, oldest first:', ...errors] : [], ...stackLines(letter.errors.at(-1)),
    'data:', pretty(letter.data), `"treadle logs --trace ${letter.traceId}" shows what its handlers said, "treadle traces ${letter.traceId}" where it came from.`,
  ].join('\n');
}

/** Where the last error came from. */
function stackLines(error: LetterError | undefined): readonly string[] {
  const stack = error?.stack?.trimEnd();
  return stack ? ['stack of the last error:', ...stack.split('\n').map((line) => `  ${plain(line.trimEnd())}`)] : [];
}

function row(one: Subscription): readonly string[] {
  const state = [one.paused ? 'paused' : 'active', ...one.fifo ? ['fifo'] : []].join(', ');
  const numbers = [one.waiting, one.delayed, one.retrying, one.active, one.dead].map(String);
  return [one.step, topicName(one.topic), state, ...numbers, duration(one.oldestAgeMs)];
}

function goneRow({ step, topic, dead }: Pick<Subscription, 'step' | 'topic' | 'dead'>): readonly string[] {
  return [step, topicName(topic), 'gone', '-', '-', '-', '-', String(dead), '-'];
}

function stateOf(dueAt: string | undefined): string {
  return dueAt === undefined ? 'waiting' : `due ${time(dueAt)}`;
}

function errorText(error: LetterError | undefined, length = 80): string {
  if (!error) return '-';
  const text = [error.name ?? error.code, error.message].filter(Boolean).join(': ').replaceAll(/\s+/g, ' ');
  const shown = plain(text);
  return shown.length > length ? `${shown.slice(0, length - 1)}…` : shown;
}

function whenOf({ at }: LetterError): string {
  return at === undefined ? '' : `${time(at)}  `;
}
