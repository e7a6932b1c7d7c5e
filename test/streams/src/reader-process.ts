// Readers in a process of their own; see readers.ts for what asks it.
import { answerQuestions } from '../../support/asked-process.js';
import { Expected, type PublishedEvent } from './expected.js';
import { Latencies } from './latencies.js';
import type { Crowd, ReaderQuestion, ReaderReport } from './reader-messages.js';
import { Reader } from './reader.js';

/** Readers that connect at the same time. */
const AT_ONCE = 100;
const MOST_FAULTS = 20;

const expected = new Expected();
const latencies = new Latencies();
let reading: readonly Reader[] = [];
let stalled: readonly Reader[] = [];

function note({ group, at }: PublishedEvent): void {
  if (group === 'all') latencies.add(performance.timeOrigin + performance.now() - at);
}

async function join({ port, clients, bulk, stalled: stalls }: Crowd): Promise<void> {
  const readers: Reader[] = [];
  while (readers.length < clients) {
    const more = Array.from({ length: Math.min(AT_ONCE, clients - readers.length) }, (_, index) =>
      new Reader(port, readers.length + index < bulk ? ['all', 'bulk'] : ['all'], expected, note));
    readers.push(...more);
    await Promise.all(more.map((reader) => reader.join()));
  }
  [stalled, reading] = [readers.slice(0, stalls), readers.slice(stalls)];
}

function report(): ReaderReport {
  return {
    reading: reading.length, complete: reading.filter(({ complete }) => complete).length,
    disconnected: reading.filter(({ ended }) => ended !== undefined).length, stalledDisconnected: stalled.filter(({ ended }) => ended !== undefined).length,
    events: reading.reduce((sum, { events }) => sum + events, 0),
    faults: [...reading, ...stalled].flatMap(({ faults }) => faults).slice(0, MOST_FAULTS), latencies: latencies.counts,
  };
}

async function answer(question: ReaderQuestion): Promise<unknown> {
  if (question.type === 'join') await join(question);
  else if (question.type === 'report') return report();
  else for (const reader of stalled) reader[question.type]();
  return {};
}

answerQuestions(answer);
