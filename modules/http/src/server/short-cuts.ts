import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { HeaderList } from '../response/response-headers.js';

/** Who gets the body of a request, piece by piece. */
export interface PieceTaker {
  onData(chunk: Buffer): void;
  onEnd(): void;
}

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
 * destroys a stream in several ticks: a GET costs 14 % more processor time on Node.js 20, 7 % on 22 and 8 % on 24. The option
 * `optimizeEmptyRequests` of Node.js 24 does the same for every request of a server, also for those that a plugin's middleware
 * reads as streams: it would wait for an end that never comes.
 * @source Node.js 24, `lib/_http_incoming.js`
 */
export function endBody(request: IncomingMessage): void {
  const { _readableState: state } = request as IncomingMessage & { _readableState: BodyState };
  (request as IncomingMessage & { _dumped: boolean })._dumped = true;
  state.ended = state.endEmitted = state.destroyed = state.closed = state.closeEmitted = true;
}

/**
 * Lets the parser hand the body of a request to `taker` at once, past the stream: its events, ticks and end cost more than a
 * small body. Without it a validated POST of 1 KB costs 11 % more processor time on Node.js 20 and 22, 10 % on 24.
 * False when somebody has begun to read the stream: then it has to be read as one.
 */
export function takeBody(request: IncomingMessage, taker: PieceTaker): boolean {
  if (request.complete || request.readableFlowing !== null || request.readableDidRead || request.readableLength > 0) return false;
  request.push = (chunk: Buffer | null): boolean => {
    if (chunk !== null) {
      taker.onData(chunk);
    } else {
      endBody(request);
      taker.onEnd();
    }
    return true;
  };
  return true;
}

/** Makes the rest of a taken body a stream again. */
export function giveBodyBack(request: IncomingMessage): void {
  request.push = Readable.prototype.push;
}

/**
 * Writes a whole response. Node.js gives what `end(body)` gets to the socket in two pieces, of which the second is empty, so
 * that they go the long way of several; `write` and `end` with an `uncork` between them make one. The `cork` saves the one
 * that `write` would undo in a tick of its own. With `end(body)` a GET costs 8 % more on Node.js 20 and 9 % on 22; on 24 it is no
 * dearer.
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
