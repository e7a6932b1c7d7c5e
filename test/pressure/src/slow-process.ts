// Slow connections in a process of its own; each that the server has closed is opened anew.
import { answerQuestions } from '../../support/asked-process.js';
import { SLOW_KINDS, SlowConnection, type SlowKind, type SlowOptions } from './slow-connection.js';

/** How many there are of each kind. */
export interface SlowCrowd extends Omit<SlowOptions, 'kind'> {
  readonly counts: Readonly<Record<SlowKind, number>>;
}

export type SlowQuestion = ({ readonly type: 'open' } & SlowCrowd) | { readonly type: 'report' | 'stop' };

/** Of one kind, since the beginning. */
export interface SlowReport {
  readonly freed: number;
  readonly longestMs: number;
  /** Could not be opened. */
  readonly unopened: number;
  /** Were still being sent to when they looked at last: the server had not let go of them. */
  readonly kept: number;
}

const REOPEN_MS = 100;
const SPREAD_MS = 2000;
/** These are downloads for a moment, until the buffers are full: all at once they would be a load of their own. */
const UNREAD: readonly SlowKind[] = ['stream', 'ranges'];

const open = new Set<SlowConnection>();
const counts = Object.fromEntries(SLOW_KINDS.map((kind) => [kind, { freed: 0, longestMs: 0, unopened: 0, kept: 0 }])) as Record<SlowKind, { -readonly [P in keyof SlowReport]: number }>;
let stopped = false;

function connectOne(options: SlowOptions): void {
  if (stopped) return;
  const connection = new SlowConnection(options, (freedMs) => {
    open.delete(connection);
    const count = counts[options.kind];
    if (Number.isNaN(freedMs)) count.unopened += 1;
    else if (freedMs === Infinity) count.kept += 1;
    else [count.freed, count.longestMs] = [count.freed + 1, Math.max(count.longestMs, Math.round(freedMs))];
    setTimeout(() => connectOne(options), REOPEN_MS);
  });
  open.add(connection);
}

answerQuestions((question: SlowQuestion) => {
  if (question.type === 'report') return counts;
  if (question.type === 'open') {
    const { counts: wanted, port, pieceMs, lookMs } = question;
    for (const kind of SLOW_KINDS) {
      const spreadMs = UNREAD.includes(kind) ? lookMs : SPREAD_MS;
      for (let index = 0; index < wanted[kind]; index++) setTimeout(() => connectOne({ kind, port, pieceMs, lookMs }), Math.random() * spreadMs);
    }
    return {};
  }
  stopped = true;
  for (const connection of open) connection.stop();
  return {};
});
