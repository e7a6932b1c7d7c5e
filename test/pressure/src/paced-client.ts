import { connect, type Socket } from 'node:net';
import { Latencies } from '../../streams/src/latencies.js';

/** What came of the requests since the last report. Times are in milliseconds from the moment that a request was due. */
export interface PacedReport {
  readonly seconds: number;
  readonly sent: number;
  /** Answered with 200. */
  readonly accepted: Times;
  /** Answered with 503. */
  readonly refused: Times;
  /** Other answers, and connections that broke, by status or message. */
  readonly failures: Readonly<Record<string, number>>;
  /** Not sent, because as many connections as allowed had a request under way. */
  readonly skipped: number;
  /** Until the last answer that was no 200 within the time that the pace calls slow. */
  readonly troubledMs: number;
}

export interface Times {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Requests to send from now on. */
export interface Pace {
  readonly port: number;
  readonly path: string;
  readonly perSecond: number;
  /** An accepted answer that takes longer is trouble, in milliseconds. */
  readonly slowMs: number;
}

const TICK_MS = 4;
const MOST_CONNECTIONS = 2000;
/** A server may close what is idle longer, just as a request is sent. */
const MOST_IDLE_MS = 30_000;
const HEAD_END = '\r\n\r\n';

/** Sends requests when they are due, whether or not the former ones have been answered. */
export class PacedClient {
  private readonly idle: Lane[] = [];
  private readonly lanes = new Set<Lane>();
  private pace: Pace | undefined;
  private timer: NodeJS.Timeout | undefined;
  private tally = new Tally();

  start(pace: Pace): void {
    this.stop();
    this.pace = pace;
    this.tally = new Tally();
    let [due, before] = [0, performance.now()];
    this.timer = setInterval(() => {
      const now = performance.now();
      due += (pace.perSecond * (now - before)) / 1000;
      before = now;
      for (; due >= 1; due -= 1) this.send(pace, now);
    }, TICK_MS);
  }

  /** Begins to count anew. */
  report(): PacedReport {
    const { tally } = this;
    this.tally = new Tally();
    return tally.report();
  }

  stop(): void {
    clearInterval(this.timer);
    for (const lane of this.lanes) lane.abandon();
    this.lanes.clear();
    this.idle.length = 0;
  }

  private send(pace: Pace, now: number): void {
    if (this.idle.length === 0 && this.lanes.size >= MOST_CONNECTIONS) {
      this.tally.skipped += 1;
      return;
    }
    this.tally.sent += 1;
    const lane = this.fresh(now) ?? this.open(pace.port);
    lane.send(`GET ${pace.path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`, now);
  }

  /** The one that became idle last. */
  private fresh(now: number): Lane | undefined {
    const lane = this.idle.pop();
    if (!lane || now - lane.idleSince < MOST_IDLE_MS) return lane;
    lane.abandon();
    this.lanes.delete(lane);
    return this.fresh(now);
  }

  private open(port: number): Lane {
    const lane: Lane = new Lane(port, (outcome, tookMs, reusable) => {
      if (reusable) this.idle.push(lane);
      else this.forget(lane);
      if (outcome !== undefined) this.tally.add(outcome, tookMs, this.pace?.slowMs ?? Infinity);
    });
    this.lanes.add(lane);
    return lane;
  }

  private forget(lane: Lane): void {
    this.lanes.delete(lane);
    const at = this.idle.indexOf(lane);
    if (at >= 0) this.idle.splice(at, 1);
    lane.socket.destroy();
  }
}

/** Status or message; undefined for a connection that ended while nothing was under way. */
type Outcome = number | string | undefined;

/** A connection with one request at a time. Answers must have a `content-length`. */
class Lane {
  readonly socket: Socket;
  idleSince = 0;
  private text = '';
  private dueAt: number | undefined;

  constructor(port: number, private readonly ended: (outcome: Outcome, tookMs: number, reusable: boolean) => void) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.setEncoding('latin1').on('data', (text: string) => this.read(text));
    this.socket.on('error', (error: NodeJS.ErrnoException) => this.end(error.code ?? error.message, false));
    this.socket.on('close', () => this.end('closed', false));
  }

  send(bytes: string, dueAt: number): void {
    this.dueAt = dueAt;
    this.socket.write(bytes);
  }

  /** What is under way is not told any more. */
  abandon(): void {
    this.socket.removeAllListeners('close').destroy();
    this.dueAt = undefined;
  }

  private read(text: string): void {
    this.text += text;
    const head = this.text.indexOf(HEAD_END);
    if (head < 0) return;
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(this.text)?.[1] ?? 0);
    if (this.text.length < head + HEAD_END.length + length) return;
    const closes = /\r\nconnection: *close/i.test(this.text.slice(0, head));
    const status = Number(this.text.slice(9, 12));
    this.text = '';
    this.end(status, !closes);
  }

  private end(outcome: Outcome, reusable: boolean): void {
    const [dueAt, now] = [this.dueAt, performance.now()];
    [this.dueAt, this.idleSince] = [undefined, now];
    this.ended(dueAt === undefined ? undefined : outcome, now - (dueAt ?? now), reusable);
  }
}

class Tally {
  sent = 0;
  skipped = 0;
  private readonly began = performance.now();
  private readonly accepted = new Latencies();
  private readonly refused = new Latencies();
  private readonly failures: Record<string, number> = {};
  private troubledAt = this.began;

  add(outcome: number | string, tookMs: number, slowMs: number): void {
    if (outcome === 200) this.accepted.add(tookMs);
    else if (outcome === 503) this.refused.add(tookMs);
    else this.failures[outcome] = (this.failures[outcome] ?? 0) + 1;
    if (outcome !== 200 || tookMs > slowMs) this.troubledAt = performance.now();
  }

  report(): PacedReport {
    return {
      seconds: (performance.now() - this.began) / 1000, sent: this.sent, accepted: timesOf(this.accepted), refused: timesOf(this.refused),
      failures: this.failures, skipped: this.skipped, troubledMs: Math.round(this.troubledAt - this.began),
    };
  }
}

function timesOf(latencies: Latencies): Times {
  const count = latencies.total;
  return count === 0 ? { count, p50Ms: 0, p99Ms: 0, maxMs: 0 } : { count, p50Ms: latencies.at(0.5), p99Ms: latencies.at(0.99), maxMs: latencies.at(1) };
}
