import type { Socket } from 'node:net';

/** Longest time in which a client reads nothing of what was sent; milliseconds. */
export const UNREAD_MS = 60_000;

/** Ends the connection of a client that has read nothing for so long: what it leaves unread is in our memory. One for which nothing waits may be silent. */
export function cutOffUnread(socket: Socket): void {
  socket.setTimeout(UNREAD_MS, () => endUnread(socket));
}

/** To be called when nothing has moved for `UNREAD_MS`. */
export function endUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}
