import type { Withdrawal } from '@treadle/api';
import type { Message, WithdrawalMessage } from '@treadle/protocol';
import type { MessageReader } from './connection.js';
import { isWithdrawal } from './message-shape.js';
import type { SessionWatch, Watched } from './session-watch.js';
import type { Withdrawals } from './withdrawals.js';

/** What a heartbeat is about. */
export interface HeartbeatParts {
  readonly watch: SessionWatch;
  readonly session: Watched;
  readonly withdrawals: Withdrawals;
  /** Sends a frame; absent: nobody answers there. */
  readonly ask: ((frame: string | Uint8Array) => void) | undefined;
}

/** Reads the second connection of a worker: the process lives, and which invocations its main thread has not begun. */
export class HeartbeatReader implements MessageReader {
  private readonly disconnect: (() => void) | undefined;

  constructor(private readonly parts: HeartbeatParts) {
    const { watch, session, withdrawals, ask } = parts;
    watch.heartbeat(session, 1);
    this.disconnect = ask && withdrawals.connect(ask);
  }

  take(message: Message): boolean {
    switch (message.type) {
      case 'pong': return true;
      case 'alive':
        if (!Number.isFinite(message.loopDelayMs)) return false;
        this.parts.watch.alive(this.parts.session, message.loopDelayMs, message.held === true);
        return true;
      case 'withdrawal':
        if (!isWithdrawal(message)) return false;
        this.parts.withdrawals.settle(message.id, whatOf(message));
        return true;
      default: return false;
    }
  }

  closed(): void {
    this.disconnect?.();
    this.parts.watch.heartbeat(this.parts.session, -1);
  }
}

function whatOf({ done, ended }: WithdrawalMessage): Withdrawal {
  if (done) return 'withdrawn';
  return ended === true ? 'ended' : 'begun';
}
