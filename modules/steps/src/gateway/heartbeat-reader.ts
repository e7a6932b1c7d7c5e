import type { Message } from '@treadle/protocol';
import type { MessageReader } from './connection.js';
import type { SessionWatch, Watched } from './session-watch.js';

/** Reads the second connection of a worker, which only says that the process lives. */
export class HeartbeatReader implements MessageReader {
  constructor(private readonly watch: SessionWatch, private readonly session: Watched) {
    watch.heartbeat(session, 1);
  }

  take(message: Message): boolean {
    if (message.type === 'pong') return true;
    if (message.type !== 'alive' || !Number.isFinite(message.loopDelayMs)) return false;
    this.watch.alive(this.session, message.loopDelayMs);
    return true;
  }

  closed(): void {
    this.watch.heartbeat(this.session, -1);
  }
}
