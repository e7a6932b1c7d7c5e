import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HeaderList } from './response-headers.js';

/** What is set of the state of a stream that is over. */
interface BodyState {
  ended: boolean;
  endEmitted: boolean;
  destroyed: boolean;
  closed: boolean;
  closeEmitted: boolean;
}

/**
 * Takes the body of a request that has none as read: the request emits nothing from now on. Else Node.js resumes, ends and
 * destroys a stream in several ticks, which is a tenth of what a request costs it. The same as the server option
 * `optimizeEmptyRequests` does for every request in later versions.
 * @source Node.js 24, `lib/_http_incoming.js`
 */
export function endBody(request: IncomingMessage): void {
  const { _readableState: state } = request as IncomingMessage & { _readableState: BodyState };
  (request as IncomingMessage & { _dumped: boolean })._dumped = true;
  state.ended = state.endEmitted = state.destroyed = state.closed = state.closeEmitted = true;
}

/**
 * Writes a whole response. Node.js gives what `end(body)` gets to the socket in two pieces, of which the second is empty, so
 * that they go the long way of several; `write` and `end` with an `uncork` between them make one. The `cork` saves the one
 * that `write` would undo in a tick of its own.
 */
export function writeResponse(response: ServerResponse, status: number, headers: HeaderList, body: string | Buffer | undefined): void {
  response.writeHead(status, headers as string[]);
  if (typeof body === 'string') {
    // None while an earlier response of the connection is not out.
    const { socket } = response;
    socket?.cork();
    response.write(body);
    socket?.uncork();
    response.end();
  } else {
    response.end(body);
  }
}
