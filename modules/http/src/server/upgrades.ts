import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { UpgradeHandler, Unsubscribe } from '@treadle/api';

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Who takes connections that ask for WebSocket at a path. While nobody does, Node.js answers each request with an `Upgrade`
 * header as if it had none; from the first one on this is done here, since Node.js then hands them all over.
 */
export class Upgrades {
  private readonly handlers = new Map<string, UpgradeHandler>();
  private readonly servers = new Set<Server>();

  constructor(private readonly onRequest: RequestListener) {}

  /** The latest handler of a path holds. */
  add(path: string, handler: UpgradeHandler): Unsubscribe {
    this.handlers.set(path, handler);
    for (const server of this.servers) this.listen(server);
    return () => {
      if (this.handlers.get(path) === handler) this.handlers.delete(path);
    };
  }

  attach(server: Server): void {
    this.servers.add(server);
    server.once('close', () => this.servers.delete(server));
    if (this.handlers.size > 0) this.listen(server);
  }

  private listen(server: Server): void {
    if (!server.listeners('upgrade').includes(this.take)) server.on('upgrade', this.take);
  }

  private readonly take = (request: IncomingMessage, socket: Socket, head: Buffer): void => {
    const handler = isWebSocket(request) ? this.handlers.get((request.url ?? '').split('?', 1)[0] ?? '') : undefined;
    if (handler) handler(request, socket, head);
    else this.answer(request, socket);
  };

  /** As any other request, but for a body, which the parser has not read; the connection ends with the answer. */
  private answer(request: IncomingMessage, socket: Socket): void {
    // Node.js has taken its own listeners off, and a reset connection would end the process.
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => {
      response.detachSocket(socket);
      socket.destroySoon();
    });
    this.onRequest(request, response);
  }
}

function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}
