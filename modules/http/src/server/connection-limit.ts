import type { Socket } from 'node:net';

/** Connections beyond the limit that are accepted nevertheless: a health check is answered, anything else refused in words. */
const RESERVE = 64;

/** Counts open connections, over all handles that accept them. */
export class ConnectionLimit {
  private open = 0;

  /** @param most a reload may change it; open connections stay, however many there are */
  constructor(public most: number) {}

  /** Counts a connection until it closes; `beyond`: there are too many; `none`: so many that it was cut off. */
  enter(socket: Socket): 'within' | 'beyond' | 'none' {
    if (this.open >= this.most + RESERVE) {
      socket.destroy();
      return 'none';
    }
    this.open += 1;
    socket.once('close', () => { this.open -= 1; });
    return this.open > this.most ? 'beyond' : 'within';
  }
}
