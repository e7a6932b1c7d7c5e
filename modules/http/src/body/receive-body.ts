import type { IncomingMessage } from 'node:http';
import type { Exchange } from '../exchange.js';
import { type Problem, PROBLEMS, unsupportedMedia } from '../problem.js';
import type { StepRoute } from '../step-route.js';
import { mediaType } from './body-kind.js';
import { BodyReader } from './body-reader.js';
import { decodeBody } from './decode-body.js';
import type { HandlerBody } from './handler-body.js';

/**
 * Begins to read the body of a request, or says at once why not. `done` is called once, unless the reader is stopped.
 * A client that waits for "100 Continue" is told to go on only now, when nothing speaks against its body.
 */
export function receiveBody(
  { request, response, core, sink }: Exchange, route: StepRoute, done: (body: HandlerBody | Problem) => void,
): BodyReader | Problem {
  const { headers } = request;
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding !== 'identity') return unsupportedMedia('The body has a Content-Encoding; send it as it is');
  const contentType = headers['content-type'];
  const media = mediaType(contentType, route.rawBody);
  if (!media) return unsupportedMedia('The Content-Type of the body is not supported here');
  if (Number(headers['content-length'] ?? 0) > route.bodyLimit) return PROBLEMS.bodyTooLarge;
  return new BodyReader(request, {
    limit: route.bodyLimit, budget: core.budget, shared: sink !== undefined, expectsContinue: expectsContinue(request) ? response : undefined,
    done: (result) => {
      if ('code' in result) done(result);
      else decodeBody(result, media, contentType ?? '', (body) => done(withBytes(body, result, route.rawBody)));
    },
  });
}

/** Any other expectation of HTTP/1.1 was refused before; clients of HTTP/1.0 know no interim answers. @source RFC 9110, section 10.1.1 */
function expectsContinue({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersionMinor > 0;
}

function withBytes(body: HandlerBody | Problem, bytes: Buffer, wanted: boolean): HandlerBody | Problem {
  if (wanted && !('code' in body)) body.rawBody = bytes.toString('base64');
  return body;
}
