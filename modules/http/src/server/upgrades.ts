import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { afterEarlierAnswers, ignoreUpgrade, type UpgradeHandler, type Unsubscribe } from '@treadle/api';

/** Who takes connections that ask for WebSocket at a path. Every other request with an `Upgrade` header is answered as if it had none. */
export class Upgrades {
  private readonly handlers = new Map<string, UpgradeHandler>();

  /** The latest handler of a path holds. */
  add(path: string, handler: UpgradeHandler): Unsubscribe {
    this.handlers.set(path, handler);
    return () => {
      if (this.handlers.get(path) === handler) this.handlers.delete(path);
    };
  }

  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      const handler = isWebSocket(request) ? this.handlers.get((request.url ?? '').split('?', 1)[0] ?? '') : undefined;
      if (handler) handOver(handler, request, socket, head);
      else ignoreUpgrade(server, request, head);
    });
  }
}

function handOver(handler: UpgradeHandler, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const drop = (): void => void socket.destroy();
  // Node.js has taken its own listeners off, and a reset connection would end the process.
  socket.on('error', drop);
  afterEarlierAnswers(socket, () => {
    socket.off('error', drop);
    socket.setTimeout(0);
    handler(request, socket, head);
  });
}

function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}
