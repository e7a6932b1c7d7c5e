import { CLOSE } from '@treadle/protocol';
import { WebSocket } from 'ws';

const TOO_BIG = 1009;

/** A WebSocket that names an oversized frame as the protocol does. */
export class GatewaySocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    if (code === TOO_BIG) super.close(CLOSE.frameTooLarge, 'the frame is larger than 16 MiB');
    else super.close(code, reason);
  }
}
