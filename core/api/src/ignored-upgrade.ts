import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';

/** What Node.js keeps at a socket: the answer whose turn it is. */
interface AnsweredSocket extends Socket {
  readonly _httpMessage?: ServerResponse | null;
}

/**
 * Answers a request that got to the `upgrade` event as if it had not asked for another protocol: with its body, on a connection that goes on. By then its parser has let the
 * connection go, so the server gets that connection anew, with the head without the wish in front of what has come since. Not asking for the event is no way out: all versions of
 * Node.js then lose what follows such a request in the same packet, and `shouldUpgradeCallback` came with Node.js 22.21 and 24.9.
 * @source RFC 9110, section 7.8: a server may ignore it
 */
export function ignoreUpgrade(server: Server, request: IncomingMessage, head: Buffer): void {
  const { socket } = request;
  const drop = (): void => void socket.destroy();
  // Node.js has taken its own listeners off, and a reset connection would end the process.
  socket.on('error', drop);
  if (!request.complete || request.readableLength > 0) return answerOnce(server, request);
  socket.unshift(Buffer.concat([headWithoutUpgrade(request), head]));
  afterEarlierAnswers(socket, () => {
    socket.off('error', drop);
    // The last answer has set the time of an idle connection.
    socket.setTimeout(server.timeout);
    server.emit('connection', socket);
  });
}

/**
 * Calls back when all answers to earlier requests of a connection that was handed to the `upgrade` event are out: what is written before would come ahead of them. Never when the
 * connection ends with one of them.
 */
export function afterEarlierAnswers(socket: Duplex, next: () => void): void {
  const { _httpMessage: answer } = socket as AnsweredSocket;
  if (answer) answer.once('close', () => afterEarlierAnswers(socket, next));
  // Not at once: the parser that calls the event goes back among those to be used again only afterwards.
  else setImmediate(() => void (socket.writable && next()));
}

/** Node.js 26 reads the body of such a request itself. The connection ends with the answer. */
function answerOnce(server: Server, request: IncomingMessage): void {
  const { socket } = request;
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  afterEarlierAnswers(socket, () => {
    response.assignSocket(socket);
    response.once('finish', () => {
      response.detachSocket(socket);
      socket.destroySoon();
    });
    server.emit('request', request, response);
  });
}

/** As it came but for the wish, and never longer, so that it fits every limit that it has passed. */
function headWithoutUpgrade({ method = '', url = '', httpVersion, rawHeaders }: IncomingMessage): Buffer {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if ((rawHeaders[at] as string).toLowerCase() !== 'upgrade') head += `${rawHeaders[at]}:${rawHeaders[at + 1]}\r\n`;
  }
  return Buffer.from(`${head}\r\n`, 'latin1');
}
