import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.js';

/** Largest body in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** What is read of a body that is too large, so that its sender gets to read the answer. */
const MAX_DISCARDED_BYTES = 8 * MAX_BODY_BYTES;

/**
 * The body as JSON; undefined when it is empty.
 * @throws {Refusal} 413 when it is too large, 400 when it is no JSON or was broken off
 */
export async function jsonBody(request: IncomingMessage): Promise<unknown> {
  const bytes = await bodyBytes(request);
  if (bytes.length === 0) return undefined;
  HASHES.set(request, createHash('sha256').update(bytes).digest('hex').slice(0, 16));
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch (error) {
    throw new Refusal(400, 'invalid_json', `the body is not JSON: ${(error as Error).message}`);
  }
}

const HASHES = new WeakMap<IncomingMessage, string>();

/** The first 16 hex digits of the SHA-256 of a body that was read; undefined without one. */
export function bodyHash(request: IncomingMessage): string | undefined {
  return HASHES.get(request);
}

async function bodyBytes(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_DISCARDED_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      length += (chunk as Buffer).length;
      if (length > MAX_DISCARDED_BYTES) break;
      if (length <= MAX_BODY_BYTES) chunks.push(chunk as Buffer);
    }
  } catch (cause) {
    throw Object.assign(new Refusal(400, 'body_incomplete', 'the body was broken off'), { cause });
  }
  if (length > MAX_BODY_BYTES) throw tooLarge();
  return Buffer.concat(chunks);
}

const tooLarge = (): Refusal => new Refusal(413, 'body_too_large', `the body has more than ${MAX_BODY_BYTES} bytes`);
