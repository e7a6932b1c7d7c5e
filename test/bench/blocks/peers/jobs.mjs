// What every contestant of a queue bench does, in its own process: it sends and handles messages itself. A contestant brings
// `send(message)`, which resolves when its store has acknowledged, and calls `handled(message)` from its handler.
import { createInterface } from 'node:readline';

/** With the rest of a message about 260 bytes. */
const TEXT = 'x'.repeat(200);
const LEAD_IN_MS = 400;
const DRAIN_MS = 20_000;
const MARK_MS = 2_000;

/** Counts what comes out, and how long it took for those that carry a time. */
export class Meter {
  handledCount = 0;
  sentCount = 0;
  latencies = [];
  /** Producers that wait for something to come out. */
  waiting = [];
  #marks = [];

  handled = ({ sentAt }) => {
    this.handledCount++;
    if (sentAt !== undefined) this.latencies.push(performance.now() - sentAt);
    this.waiting.pop()?.();
    if (this.#marks.length > 0) for (const resolve of this.#marks.splice(0)) resolve();
  };

  /** How many were handled, when, and with how much processor time, right after the next ones were; after two seconds in any case. */
  async mark() {
    await Promise.race([new Promise((resolve) => this.#marks.push(resolve)), pause(MARK_MS)]);
    const { user, system } = process.cpuUsage();
    return { count: this.handledCount, at: performance.now(), cpu: user + system };
  }
}

/**
 * `producers` loops that send one message after the other; the rate is that of handled messages. With `outstanding` messages
 * sent and not handled they wait: some stores starve their consumers otherwise. Without `drain` what is sent may be handled elsewhere.
 */
export async function throughput({ send, meter }, { ms, producers = 256, outstanding = 20_000, drain = true }) {
  const before = meter.handledCount;
  const times = [];
  let [sent, stopped] = [0, false];
  const produce = async () => {
    while (!stopped) {
      if (sent - (meter.handledCount - before) >= outstanding) await new Promise((resolve) => meter.waiting.push(resolve));
      const began = performance.now();
      await send({ n: sent++, text: TEXT });
      times.push(performance.now() - began);
    }
  };
  const loops = Array.from({ length: producers }, produce);
  await pause(LEAD_IN_MS);
  // From the end of one batch to the end of another: some stores hand out thousands at a time, and a slice would have one more or less of them.
  const began = await meter.mark();
  await pause(ms);
  const ended = await meter.mark();
  const count = ended.count - began.count;
  stopped = true;
  for (const resolve of meter.waiting.splice(0)) resolve();
  await Promise.all(loops);
  meter.sentCount += sent;
  for (const until = performance.now() + DRAIN_MS; drain && meter.handledCount - before < sent && performance.now() < until;) await pause(20);
  return {
    sent, perSecond: count / (ended.at - began.at) * 1000, enqueueP50Ms: share(times, 0.5), enqueueP99Ms: share(times, 0.99),
    cpuPerMessage: (ended.cpu - began.cpu) / count, lost: sent - (meter.handledCount - before),
  };
}

/** One message each `everyMs`: time from sending to the handler. */
export async function latency({ send, meter }, { ms, everyMs = 5 }) {
  meter.latencies = [];
  let sent = 0;
  const due = performance.now();
  const under = new Set();
  while (performance.now() - due < ms) {
    const one = send({ n: sent++, sentAt: performance.now(), text: TEXT });
    under.add(one);
    void one.then(() => under.delete(one));
    await pause(Math.max(0, due + sent * everyMs - performance.now()));
  }
  await Promise.all(under);
  meter.sentCount += sent;
  for (const until = performance.now() + DRAIN_MS; meter.latencies.length < sent && performance.now() < until;) await pause(20);
  return { p50Ms: share(meter.latencies, 0.5), p99Ms: share(meter.latencies, 0.99), lost: sent - meter.latencies.length };
}

/** `inFlight` loops over random keys; `act(key)` is one operation. */
export async function operations(act, { ms, inFlight = 64, keys = 1000 }) {
  // By the clock and not by a timer: a chain of promises that never waits for the system keeps timers from running.
  const phase = async (length) => {
    const [began, loops] = [performance.now(), []];
    let done = 0;
    const loop = async () => {
      while (performance.now() - began < length) {
        await act(`k${Math.floor(Math.random() * keys)}`);
        done++;
      }
    };
    for (let index = 0; index < inFlight; index++) loops.push(loop());
    await Promise.all(loops);
    return done / ((performance.now() - began) / 1000);
  };
  await phase(LEAD_IN_MS);
  return { perSecond: await phase(ms) };
}

/** Does many things at once: what comes while one batch is under way makes the next, of at most `most`. `work` gives an output for each item. */
export function batching(most, work) {
  const waiting = [];
  let busy = false;
  const flush = async () => {
    busy = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, most);
      try {
        const outputs = await work(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, index) => resolve(outputs[index]));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    busy = false;
  };
  return (item) => new Promise((resolve, reject) => {
    waiting.push({ item, resolve, reject });
    if (!busy) void flush();
  });
}

/** Gathers what is sent in a turn of the event loop for a store that takes many at once. */
export function perTurn(insertMany) {
  let waiting = [];
  const flush = () => {
    const group = waiting;
    waiting = [];
    insertMany(group.map(({ message }) => message)).then(
      () => group.forEach(({ resolve }) => resolve()), (error) => group.forEach(({ reject }) => reject(error)),
    );
  };
  return (message) => new Promise((resolve, reject) => {
    if (waiting.length === 0) setImmediate(flush);
    waiting.push({ message, resolve, reject });
  });
}

/** Serves jobs, a line of JSON each, and answers with a line. */
export function serve(jobs) {
  createInterface({ input: process.stdin }).on('line', async (line) => {
    const { job, ...options } = JSON.parse(line);
    try {
      const result = await jobs[job](options);
      process.stdout.write(`${JSON.stringify(result)}\n`);
    } catch (error) {
      process.stdout.write(`${JSON.stringify({ error: String(error?.stack ?? error) })}\n`);
    }
  });
  process.stdout.write('{"ready":true}\n');
}

/** The two jobs of a queue. */
export function serveQueue(send, meter) {
  const queue = { send, meter };
  serve({ throughput: (options) => throughput(queue, options), latency: (options) => latency(queue, options) });
}

/** A value of about 200 bytes. */
export const VALUE = { id: 'x'.repeat(36), name: 'n'.repeat(60), tags: ['a', 'b', 'c'], n: 12_345, text: 't'.repeat(60) };

/** The two jobs of a key-value store, with 1,000 keys in it. */
export async function serveState({ get, set }) {
  for (let n = 0; n < 1000; n++) await set(`k${n}`);
  serve({ get: (options) => operations(get, options), set: (options) => operations(set, options) });
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function share(times, part) {
  const sorted = Float64Array.from(times).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}
