import type { IncomingMessage } from 'node:http';
import type { Exchange } from '../exchange.js';
import { invalidJson, type Problem, PROBLEMS, unsupportedMedia } from '../problem.js';
import type { StepRoute } from '../step-route.js';
import { BodyDecoder } from './body-decoder.js';
import { type MediaType, mediaType } from './body-kind.js';
import { BodyReader } from './body-reader.js';
import { contentCoding, type ContentCoding } from './content-coding.js';
import { decodeBody } from './decode-body.js';
import type { HandlerBody, LargeValue } from './handler-body.js';

/** A body that is being received. */
export interface Reception {
  /** Stops it and gives its memory back. Idempotent; to be called when the request is over in any way. */
  stop(): void;
}

type Done<T> = (result: T | Problem) => void;

/**
 * Begins to receive the body of a request, or says at once why not. `done` is called once, unless the reception was stopped.
 * A client that waits for "100 Continue" is told to go on only now, when nothing speaks against its body.
 */
export function receiveBody(exchange: Exchange, route: StepRoute, done: Done<HandlerBody>): Reception | Problem {
  const { headers } = exchange.request;
  const coding = contentCoding(headers['content-encoding']);
  if (coding === 'unknown') return unsupportedMedia('The Content-Encoding of the body is not supported; send it as gzip, deflate, br or as it is');
  if (coding !== undefined && !exchange.core.config.decompress_requests) {
    return unsupportedMedia('The body has a Content-Encoding; send it as it is');
  }
  const contentType = headers['content-type'];
  const media = mediaType(contentType, route.rawBody);
  if (!media || !takes(route, media)) return unsupportedMedia('The Content-Type of the body is not supported here');
  if (Number(headers['content-length'] ?? 0) > route.bodyLimit) return PROBLEMS.bodyTooLarge;
  return new Receiving(exchange, route, { coding, media, contentType: contentType ?? '', done });
}

/** A schema that describes JSON says nothing of bytes: they are refused as what they are, not as JSON with faults. */
function takes({ takesBytes }: StepRoute, { kind }: MediaType): boolean {
  return kind !== 'bytes' || takesBytes;
}

interface ReceivingOptions {
  /** Content encoding of the body. */
  readonly coding: ContentCoding | undefined;
  readonly media: MediaType;
  readonly contentType: string;
  readonly done: Done<HandlerBody>;
}

/** A body on its way: it is collected, decoded where it has a content encoding, read, and checked in a thread where it is large. */
class Receiving implements Reception {
  private readonly reader: BodyReader;
  private decoder: BodyDecoder | undefined;
  private giveUpCheck: (() => void) | undefined;

  constructor(private readonly exchange: Exchange, private readonly route: StepRoute, private readonly options: ReceivingOptions) {
    const { request, response, core, sink } = exchange;
    const expects = expectsContinue(request) ? response : undefined;
    this.reader = new BodyReader(request, {
      limit: route.bodyLimit, budget: core.budget, shared: sink !== undefined, expectsContinue: expects, done: (body) => this.collected(body),
    });
  }

  stop(): void {
    this.reader.stop();
    this.decoder?.stop();
    this.giveUpCheck?.();
  }

  private collected(body: Buffer | Problem): void {
    const { coding, done } = this.options;
    if ('code' in body) done(body);
    else if (coding === undefined) this.decode(body);
    else {
      const { budget, decodingTurns: turns } = this.exchange.core;
      this.decoder = new BodyDecoder(body, {
        coding, limit: this.route.bodyLimit, budget, turns, done: (result) => ('code' in result ? done(result) : this.decode(result)),
      });
    }
  }

  private decode(bytes: Buffer): void {
    const { media, contentType, done } = this.options;
    decodeBody(bytes, media, contentType, (body) => {
      if ('code' in body) return done(body);
      if (this.route.rawBody) body.rawBody = bytes.toString('base64');
      return body.large === undefined ? done(body) : this.check(body, body.large);
    });
  }

  private check(body: HandlerBody, { bytes, as }: LargeValue): void {
    const { exchange, route, options: { done } } = this;
    // Whatever bytes stand for, without a schema only those of a client can be wrong.
    if (route.body === undefined && as !== 'json') return done(body);
    this.giveUpCheck = exchange.core.checkThread.judge({ bytes, as, check: route.body }, (verdict) => {
      if ('fault' in verdict) done(invalidJson(verdict.fault));
      else if ('tooLarge' in verdict) done(PROBLEMS.bodyTooLarge);
      else if ('error' in verdict) exchange.crash(verdict.error);
      else {
        body.refusal = verdict.refusal;
        done(body);
      }
    });
    return undefined;
  }
}

/** Any other expectation of HTTP/1.1 was refused before; clients of HTTP/1.0 know no interim answers. @source RFC 9110, section 10.1.1 */
function expectsContinue({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersionMinor > 0;
}
