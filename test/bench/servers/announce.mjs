/** Tells the runner where a contestant listens and which processes belong to it; the first one is the server. */
export function announce(port, pids = [process.pid]) {
  process.stdout.write(`${JSON.stringify({ port, pids })}\n`);
}

/** Starts listening on a free loopback port and announces it. */
export function listen(server) {
  server.listen(0, '127.0.0.1', () => announce(server.address().port));
}

export const HELLO = { message: 'hello world' };
