import { type ChildProcess, type SendHandle, spawn } from 'node:child_process';
import { createServer, type Server, type Socket } from 'node:net';
import type { Clock, Logger, Timer } from '@treadle/api';

/**
 * An engine that lives shorter needs no more handles: tests, and starts that fail. Later than the start, so that it does not
 * compete with the boot of Step processes; milliseconds.
 */
const OPEN_AFTER_MS = 1_500;
/** How long the helper may take; milliseconds. */
const HELP_MS = 10_000;
/** Gives the socket that it is handed back as many times as it is told, then ends. It gets the bare handle: a server would accept. */
const HELPER = `process.on('message', ({ count }, handle) => {
  const next = (left) => {
    if (left > 0) process.send({}, handle, undefined, () => next(left - 1));
    else process.disconnect();
  };
  next(count);
});`;

export interface AcceptorOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Handles beside that of the server. */
  readonly count: number;
  readonly onConnection: (socket: Socket) => void;
}

/**
 * Further handles of a listening socket. libuv accepts one connection for each handle and turn of the event loop; where many
 * open connections have work in each turn, or the machine has little time for this process, turns are long, and a new
 * connection, such as that of a health check, would wait for as many turns as others wait before it. Node.js copies a
 * handle only by sending it to another process, so a short-lived one sends it back.
 * @source libuv 1.46, `uv__server_io`
 */
export class Acceptors {
  private readonly servers: Server[] = [];
  private timer: Timer | undefined;
  private deadline: Timer | undefined;
  private helper: ChildProcess | undefined;
  private closed = false;

  constructor(private readonly options: AcceptorOptions) {}

  /** Copies the handle of a server that listens, in a moment. What cannot be had is logged: the server works without. */
  open(server: Server): void {
    if (this.options.count > 0) this.timer = this.options.clock.after(OPEN_AFTER_MS, () => this.copy(server));
  }

  /** Accepts nothing more; resolves when the last of its connections is gone. */
  async close(): Promise<void> {
    this.closed = true;
    this.timer?.cancel();
    this.endHelper();
    await Promise.all(this.servers.splice(0).map((server) => new Promise<void>((resolve) => void server.close(() => resolve()))));
  }

  private copy(server: Server): void {
    const { clock, log, count } = this.options;
    const failed = (error: unknown): void => log.warn('new connections are accepted one a turn: the listening socket cannot be copied', { reason: (error as Error).message });
    let helper: ChildProcess;
    try {
      helper = this.helper = spawn(process.execPath, ['-e', HELPER], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env: {} });
    } catch (error) {
      return failed(error);
    }
    // It must not keep this process alive.
    helper.unref();
    helper.channel?.unref();
    helper.on('error', failed);
    helper.on('message', (_message, handle) => {
      if (handle !== undefined) this.add(handle);
    });
    helper.once('exit', () => this.endHelper());
    this.deadline = clock.after(HELP_MS, () => this.endHelper());
    // Also called with the error when the helper is gone, which `error` or `exit` have told.
    // Without file handles for it there is no channel either, and then no pid: a signal would reach the group of this process.
    if (helper.connected) helper.send({ count }, bareHandle(server), () => undefined);
  }

  /** As an HTTP server does it: a client may end its side and still wait for the answer. */
  private add(handle: SendHandle): void {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.options.onConnection(socket));
    // One that cannot be accepted (no file handles left) is lost alone.
    server.on('error', () => undefined);
    server.listen(handle);
    if (this.closed) server.close();
    else this.servers.push(server);
  }

  private endHelper(): void {
    this.deadline?.cancel();
    const { helper } = this;
    this.helper = undefined;
    if (helper?.pid !== undefined && helper.exitCode === null) helper.kill();
  }
}

/** Sent as it is, and not as a server, it is not listened on by who gets it. */
function bareHandle(server: Server): SendHandle {
  return (server as Server & { readonly _handle: SendHandle })._handle;
}
