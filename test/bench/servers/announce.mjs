import { executionAsyncResource } from 'node:async_hooks';

let beforehand = async () => undefined;

/** Runs `check` with the port before a contestant is announced; when it fails the contestant does not take part. */
export function whenListening(check) {
  beforehand = check;
}

/**
 * Tells the runner where a contestant listens and which processes belong to it; the first one is the server. Every
 * contestant gets what keepTickShape in core/worker gives Treadle: without it any Node.js server may become 3 µs a request
 * slower while the others have their turn, and the ratios would depend on which of them did.
 */
export async function announce(port, pids = [process.pid]) {
  await beforehand(port);
  process.nextTick(() => { globalThis.heldTick = executionAsyncResource(); });
  process.stdout.write(`${JSON.stringify({ port, pids })}\n`);
}

/** Starts listening on a free loopback port and announces it. */
export function listen(server) {
  server.listen(0, '127.0.0.1', () => void announce(server.address().port));
}

export const HELLO = { message: 'hello world' };
