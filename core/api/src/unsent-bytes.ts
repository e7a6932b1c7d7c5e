import type { Socket } from 'node:net';

interface SocketHandle {
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

/**
 * Bytes that the system has not taken yet, those of a write that is under way included. 0 without a socket.
 * @source Node.js, `lib/net.js`: its own timeout of a socket looks at the same size
 */
export function unsentBytes(socket: Socket | null): number {
  if (socket === null) return 0;
  const underWay = (socket as Socket & SocketHandle)._handle?.writeQueueSize ?? 0;
  return underWay + socket.writableLength;
}
