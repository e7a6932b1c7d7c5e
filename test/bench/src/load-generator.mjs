// A process of its own: raw sockets, keep-alive, one request at a time per connection, prebuilt bytes. On two cores the
// client's cost is part of every figure, so it does as little as it can: all sockets read into one buffer, without events
// and streams; a response as long as the last one is taken by its length and status; any other is parsed.
import { executionAsyncResource } from 'node:async_hooks';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const LINE_END = Buffer.from('\r\n\r\n');
const NOTHING = Buffer.alloc(0);
const MAX_SAMPLES = 1_000_000;
const READ_BYTES = 64 * 1024;

// An idle process that collects garbage makes the objects of process.nextTick in V8's slow path from then on, unless one of
// them stays alive; see keepTickShape in core/worker.
process.nextTick(() => { globalThis.heldTick = executionAsyncResource(); });

createInterface({ input: process.stdin }).on('line', (line) => {
  const job = JSON.parse(line);
  runSlice(job).then((result) => process.stdout.write(`${JSON.stringify(result)}\n`));
});

/** @param {{port: number, connections: number, ms: number, request: string}} job */
async function runSlice(job) {
  const slice = {
    request: Buffer.from(job.request), port: job.port, over: false, requests: 0, failures: 0, non2xx: 0,
    samples: new Float64Array(MAX_SAMPLES), expectedLength: 0, buffer: Buffer.allocUnsafe(READ_BYTES),
  };
  const lanes = await Promise.all(Array.from({ length: job.connections }, () => openLane(slice)));
  const began = performance.now();
  for (const lane of lanes) send(lane, slice);
  await new Promise((resolve) => setTimeout(resolve, job.ms));
  slice.over = true;
  const seconds = (performance.now() - began) / 1000;
  for (const lane of lanes) lane.socket.destroy();
  return summary(slice, seconds);
}

function openLane(slice) {
  return new Promise((resolve, reject) => {
    const lane = { socket: undefined, sentAt: 0, pending: NOTHING };
    const read = (bytes, buffer) => {
      receive(lane, slice, buffer, bytes);
      return true;
    };
    const socket = connect({ port: slice.port, host: '127.0.0.1', noDelay: true, onread: { buffer: slice.buffer, callback: read } });
    lane.socket = socket;
    socket.once('connect', () => resolve(lane));
    socket.on('error', (error) => { if (!slice.over) { slice.failures++; reject(error); } });
    socket.on('close', () => { if (!slice.over) slice.failures++; });
  });
}

function send(lane, slice) {
  lane.sentAt = performance.now();
  lane.socket.write(slice.request);
}

/** `buffer` is every socket's: what is kept of it is copied. */
function receive(lane, slice, buffer, bytes) {
  if (slice.over) return;
  if (bytes === slice.expectedLength && lane.pending.length === 0) {
    complete(lane, slice, buffer);
    return;
  }
  const response = Buffer.concat([lane.pending, buffer.subarray(0, bytes)]);
  const length = lengthOf(response);
  if (length === undefined || response.length < length) {
    lane.pending = response;
    return;
  }
  lane.pending = NOTHING;
  slice.expectedLength = length;
  complete(lane, slice, response);
}

function complete(lane, slice, response) {
  if (slice.requests < MAX_SAMPLES) slice.samples[slice.requests] = performance.now() - lane.sentAt;
  slice.requests++;
  if (response[9] !== 0x32) slice.non2xx++;
  send(lane, slice);
}

/** Bytes of the whole response; undefined while its head is not there. */
function lengthOf(response) {
  const end = response.indexOf(LINE_END);
  if (end < 0) return undefined;
  const head = response.toString('latin1', 0, end);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head);
  if (!length) throw new Error(`a response without content-length:\n${head}`);
  return end + LINE_END.length + Number(length[1]);
}

function summary(slice, seconds) {
  const samples = slice.samples.subarray(0, Math.min(slice.requests, MAX_SAMPLES)).sort();
  const at = (share) => samples[Math.min(samples.length - 1, Math.floor(samples.length * share))] ?? 0;
  return {
    requests: slice.requests, perSecond: slice.requests / seconds, failures: slice.failures, non2xx: slice.non2xx,
    p50Ms: at(0.5), p99Ms: at(0.99),
  };
}
