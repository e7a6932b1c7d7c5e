import type { WebSocket } from 'ws';

/**
 * Connections of one listener that have not shown the token yet. When there are too many, the one that has been silent
 * longest makes room: a worker shows its token at once, so those that only hold their places never keep it out.
 */
export class Strangers {
  private readonly sockets = new Set<WebSocket>();

  constructor(private readonly most: number) {}

  add(socket: WebSocket): void {
    const [oldest] = this.sockets;
    if (this.sockets.size >= this.most && oldest) {
      this.sockets.delete(oldest);
      oldest.terminate();
    }
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  }

  /** It has shown the token, or was refused and is about to leave. */
  delete(socket: WebSocket): void {
    this.sockets.delete(socket);
  }
}
