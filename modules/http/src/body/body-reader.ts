import type { IncomingMessage } from 'node:http';
import type { Exchange } from '../request/exchange.js';
import { type OrProblem, overloaded, type Problem, PROBLEMS } from '../response/problem.js';
import { giveBodyBack, type PieceTaker, takeBody } from '../server/short-cuts.js';
import { BodyPieces } from './body-memory.js';

/** Who wants the bytes of a body. */
export interface BytesTaker {
  /** Called once, unless the reader was stopped. */
  collected(bytes: OrProblem<Buffer>): void;
}

/** Collects a request body, counting while it comes: a `content-length` is a promise, not a fact. */
export class BodyReader implements PieceTaker {
  private readonly pieces = new BodyPieces();
  private size = 0;
  private finished = false;
  /** Takes this from the request's stream, where it is read as one. */
  private unlisten: (() => void) | undefined = undefined;

  /**
   * @param limit largest body, in bytes
   * A client that waits for "100 Continue" is told to go on.
   */
  constructor(private readonly exchange: Exchange, private readonly limit: number, private readonly taker: BytesTaker) {
    const { request, response, sink } = exchange;
    // Plugins see the request as well: its stream has to be read as one.
    if (sink !== undefined || !takeBody(request, this)) this.listen(request);
    if (expectsContinue(request)) response.writeContinue();
  }

  /** Stops reading and gives its memory back. Idempotent; to be called when the request is over in any way. */
  stop(): void {
    if (this.size > 0) this.exchange.core.budget.give(this.size);
    this.size = 0;
    if (this.finished) return;
    this.finished = true;
    giveBodyBack(this.exchange.request);
    this.unlisten?.();
    this.pieces.clear();
  }

  onData(chunk: Buffer): void {
    if (this.size + chunk.length > this.limit) this.refuse(PROBLEMS.bodyTooLarge);
    else if (!this.exchange.core.budget.take(chunk.length)) this.refuse(overloaded());
    else {
      this.size += chunk.length;
      this.pieces.add(chunk);
    }
  }

  onEnd(): void {
    this.finished = true;
    this.taker.collected(this.pieces.take());
  }

  private listen(request: IncomingMessage): void {
    const onData = (chunk: Buffer): void => this.onData(chunk);
    const onEnd = (): void => this.onEnd();
    this.unlisten = () => void request.off('data', onData).off('end', onEnd);
    request.on('data', onData).on('end', onEnd);
    // A middleware may have paused it.
    request.resume();
  }

  private refuse(problem: Problem): void {
    this.stop();
    this.taker.collected(problem);
  }
}

/** Any other expectation of HTTP/1.1 was refused before; clients of HTTP/1.0 know no interim answers. @source RFC 9110, section 10.1.1 */
function expectsContinue({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersionMinor > 0;
}
