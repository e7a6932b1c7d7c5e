import type { IncomingMessage } from 'node:http';
import type { Exchange } from '../request/exchange.js';
import { invalidJson, type OrProblem, overloaded, Problem, PROBLEMS, unsupportedMedia } from '../response/problem.js';
import type { StepRoute } from '../routing/step-route.js';
import { giveBodyBack, type PieceTaker, takeBody } from '../server/short-cuts.js';
import { BodyDecoder } from './body-decoder.js';
import { type BodyKind, bodyKind, type ContentCoding, contentCoding } from './body-format.js';
import { BodyPieces } from './body-memory.js';
import { type HandlerBody, type LargeValue, parseBody } from './handler-body.js';
import { parseMultipartBody } from './multipart-body.js';

/** Who waits for a body. */
export interface BodyTaker {
  /** Called once, unless the reception was stopped; by the parser of the connection, so it must not throw. */
  received(body: OrProblem<HandlerBody>): void;
}

/**
 * Begins to receive the body of a request, or says at once why not. A client that waits for "100 Continue" is told to go on only now,
 * when nothing speaks against its body.
 */
export function receiveBody(exchange: Exchange, route: StepRoute, taker: BodyTaker): OrProblem<Reception> {
  const { headers } = exchange.request;
  const coding = contentCoding(headers['content-encoding']);
  if (coding === 'unknown') return unsupportedMedia('The Content-Encoding of the body is not supported; send it as gzip, deflate, br or as it is');
  if (coding !== undefined && !exchange.core.config.decompress_requests) {
    return unsupportedMedia('The body has a Content-Encoding; send it as it is');
  }
  const kind = bodyKind(headers['content-type'], route.rawBody);
  // A schema that describes JSON says nothing of bytes: they are refused as what they are, not as JSON with faults.
  if (kind === undefined || (kind === 'bytes' && !route.takesBytes)) return unsupportedMedia('The Content-Type of the body is not supported here');
  if (Number(headers['content-length'] ?? 0) > route.bodyLimit) return PROBLEMS.bodyTooLarge;
  const reception = new Reception(exchange, route, kind, taker);
  reception.begin(coding);
  return reception;
}

/** A body on its way: it is collected, decoded where it has a content encoding, parsed, and checked in a thread where it is large. */
export class Reception {
  private coding: ContentCoding | undefined = undefined;
  private reader: BodyReader | undefined = undefined;
  private decoder: BodyDecoder | undefined = undefined;
  private giveUpCheck: (() => void) | undefined = undefined;

  constructor(
    private readonly exchange: Exchange, private readonly route: StepRoute, private readonly kind: BodyKind, private readonly taker: BodyTaker,
  ) {}

  begin(coding: ContentCoding | undefined): void {
    this.coding = coding;
    this.reader = new BodyReader(this.exchange, this.route.bodyLimit, this);
  }

  /** Stops it and gives its memory back. Idempotent; to be called when the request is over in any way. */
  stop(): void {
    this.reader?.stop();
    this.decoder?.stop();
    this.giveUpCheck?.();
  }

  /** Called once by the reader, unless it was stopped. */
  collected(bytes: OrProblem<Buffer>): void {
    const { coding } = this;
    if (coding === undefined || bytes instanceof Problem) return this.decoded(bytes);
    const { budget, decodingTurns: turns } = this.exchange.core;
    this.decoder = new BodyDecoder(bytes, { coding, limit: this.route.bodyLimit, budget, turns, done: (result) => this.decoded(result) });
    return undefined;
  }

  private decoded(bytes: OrProblem<Buffer>): void {
    if (bytes instanceof Problem) return this.taker.received(bytes);
    const { kind } = this;
    if (kind !== 'multipart') return this.parsed(parseBody(bytes, kind), bytes);
    return parseMultipartBody(bytes, this.exchange.request.headers['content-type'] ?? '', (body) => this.parsed(body, bytes));
  }

  private parsed(body: OrProblem<HandlerBody>, bytes: Buffer): void {
    if (body instanceof Problem) return this.taker.received(body);
    if (this.route.rawBody) body.rawBody = bytes.toString('base64');
    return body.large === undefined ? this.taker.received(body) : this.check(body, body.large);
  }

  private check(body: HandlerBody, { bytes, as }: LargeValue): void {
    const { exchange, route, taker } = this;
    // Whatever bytes stand for, without a schema only those of a client can be wrong.
    if (route.body === undefined && as !== 'json') return taker.received(body);
    this.giveUpCheck = exchange.core.checkThread.judge({ bytes, as, check: route.body }, (verdict) => {
      if ('fault' in verdict) taker.received(invalidJson(verdict.fault));
      else if ('tooLarge' in verdict) taker.received(PROBLEMS.bodyTooLarge);
      else if ('error' in verdict) exchange.crash(verdict.error);
      else {
        body.refusal = verdict.refusal;
        taker.received(body);
      }
    });
    return undefined;
  }
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
  constructor(private readonly exchange: Exchange, private readonly limit: number, private readonly taker: Pick<Reception, 'collected'>) {
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
