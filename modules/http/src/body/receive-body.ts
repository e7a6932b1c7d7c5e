import type { IncomingMessage } from 'node:http';
import type { Exchange } from '../exchange.js';
import { type Problem, PROBLEMS, unsupportedMedia } from '../problem.js';
import type { StepRoute } from '../step-route.js';
import { BodyDecoder } from './body-decoder.js';
import { type MediaType, mediaType } from './body-kind.js';
import { BodyReader } from './body-reader.js';
import { contentCoding, type ContentCoding } from './content-coding.js';
import { decodeBody } from './decode-body.js';
import type { HandlerBody } from './handler-body.js';

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
  const received = (bytes: Buffer): void => decodeBody(bytes, media, contentType ?? '', (body) => done(withBytes(body, bytes, route.rawBody)));
  return coding === undefined ? readPlain(exchange, route, settled(received, done)) : new CodedReception(exchange, route, { coding, done: settled(received, done) });
}

/** A schema that describes JSON says nothing of bytes: they are refused as what they are, not as JSON with faults. */
function takes({ takesBytes }: StepRoute, { kind }: MediaType): boolean {
  return kind !== 'bytes' || takesBytes;
}

function settled(received: (bytes: Buffer) => void, done: Done<HandlerBody>): Done<Buffer> {
  return (result) => ('code' in result ? done(result) : received(result));
}

function readPlain({ request, response, core, sink }: Exchange, { bodyLimit: limit }: StepRoute, done: Done<Buffer>): BodyReader {
  const expects = expectsContinue(request) ? response : undefined;
  return new BodyReader(request, { limit, budget: core.budget, shared: sink !== undefined, expectsContinue: expects, done });
}

/** A body with a content encoding: it is read, then decoded. */
class CodedReception implements Reception {
  private readonly reader: BodyReader;
  private decoder: BodyDecoder | undefined;

  constructor(exchange: Exchange, route: StepRoute, { coding, done }: { readonly coding: ContentCoding; readonly done: Done<Buffer> }) {
    const { budget, decodingTurns: turns } = exchange.core;
    this.reader = readPlain(exchange, route, (coded) => {
      if ('code' in coded) done(coded);
      else this.decoder = new BodyDecoder(coded, { coding, limit: route.bodyLimit, budget, turns, done });
    });
  }

  stop(): void {
    this.reader.stop();
    this.decoder?.stop();
  }
}

/** Any other expectation of HTTP/1.1 was refused before; clients of HTTP/1.0 know no interim answers. @source RFC 9110, section 10.1.1 */
function expectsContinue({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersionMinor > 0;
}

function withBytes(body: HandlerBody | Problem, bytes: Buffer, wanted: boolean): HandlerBody | Problem {
  if (wanted && !('code' in body)) body.rawBody = bytes.toString('base64');
  return body;
}
