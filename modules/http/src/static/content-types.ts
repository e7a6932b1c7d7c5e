import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/** Content type for a file name's extension (with its dot); bytes when it is not known. */
export function contentTypeOf(extension: string): string {
  // Loaded by the first file that is served: its table takes 4 MB of memory, and most engines serve none.
  const types = load('mime-types') as typeof import('mime-types');
  return types.contentType(extension) || 'application/octet-stream';
}
