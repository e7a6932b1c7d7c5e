import { createHash } from 'node:crypto';

/** Hash that stands for a content in versions and cache keys: 32 hex digits. */
export function contentHash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}
