import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { newTraceId, type Clock, wallTime } from '@treadle/api';
import { Connection, endInSteps } from './connection.js';
import { type Problem, PROBLEMS } from '../response/problem.js';

const NEWLINE = 10;

/** What Node says of bytes that are no request. */
export interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** The table's row for an error of the HTTP parser or of the server's own timers. */
function problemOfParserError(error: ParserError): Problem {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT': return PROBLEMS.requestTimeout;
    case 'HPE_HEADER_OVERFLOW': return inRequestLine(error) ? PROBLEMS.uriTooLong : PROBLEMS.headersTooLarge;
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW': return PROBLEMS.bodyTooLarge;
    default: return PROBLEMS.malformed;
  }
}

/** The parser counts URI and headers together: without a line end before the overflow it was the URI. */
function inRequestLine({ rawPacket, bytesParsed }: ParserError): boolean {
  if (!rawPacket) return false;
  const parsed = rawPacket.subarray(0, bytesParsed ?? rawPacket.length);
  return !parsed.includes(NEWLINE) && /^[A-Z]{3,12} /.test(parsed.toString('latin1', 0, 16));
}

/**
 * Answers what the parser refused, unless an answer to an earlier request of the connection is still to come. Gives the status
 * of an answer that belongs to no request.
 */
export function answerParserError(error: ParserError, socket: Socket, clock: Clock): number | undefined {
  const connection = Connection.of(socket);
  const gone = error.code === 'ECONNRESET';
  // The connection ends with an answer that is out or to come: destroying it now would take that away.
  if (connection?.closing && !gone) return undefined;
  if (gone || !socket.writable) {
    socket.destroy();
    return undefined;
  }
  const newest = connection?.newest;
  if (connection && newest) {
    connection.closing = true;
    newest.breakOff(problemOfParserError(error));
    return undefined;
  }
  return refuseRaw(socket, problemOfParserError(error), clock);
}

/** Writes a response where there is no request to answer, and closes. Gives its status. */
export function refuseRaw(socket: Socket, problem: Problem, clock: Clock): number {
  const connection = Connection.of(socket);
  if (connection) connection.closing = true;
  const traceId = newTraceId();
  const body = problem.text(traceId, false);
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    'content-type: application/json; charset=utf-8', `content-length: ${Buffer.byteLength(body)}`,
    `x-trace-id: ${traceId}`, `date: ${new Date(wallTime(clock)).toUTCString()}`, 'connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  endInSteps(socket, clock);
  // Read on for a moment: closing with unread data resets the connection and takes the answer with it.
  socket.resume();
  return problem.status;
}
