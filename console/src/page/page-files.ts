import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** A file of the built page. */
export interface PageFile {
  readonly type: string;
  /** Its name changes with its content. */
  readonly hashed: boolean;
  /** Where it lies, e.g. `…/icon.svg`, or `…/index-a1b2c3.js.gz` of a packed one. */
  readonly file: string;
  /** It lies there as `.gz` and `.br` alone. */
  readonly packed: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.mjs': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml', '.png': 'image/png',
  '.ico': 'image/x-icon', '.json': 'application/json; charset=utf-8', '.woff2': 'font/woff2', '.map': 'application/json; charset=utf-8', '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

const unpack = promisify(gunzip);
/** By file: few clients take no encoding, and each of them asks for the same few files. */
const unpacked = new Map<string, Promise<Buffer>>();

/** The files of a built page by their path, e.g. `/assets/index-a1b2c3.js`. Nothing else is ever read. Empty when the folder is not there. */
export async function pageFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const names = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const files = new Map<string, PageFile>();
  for (const name of names.map((one) => `/${one.split(sep).join('/')}`).sort()) {
    const packed = name.endsWith('.gz');
    const path = packed ? name.slice(0, -'.gz'.length) : name;
    const [type, file] = [TYPES[extname(path)], join(folder, name)];
    if (type !== undefined && !files.has(path) && (await stat(file)).isFile()) files.set(path, { type, file, packed, hashed: path.startsWith('/assets/') });
  }
  return files;
}

/** A file in the smallest form that the client takes. */
export async function encoded({ file, packed }: PageFile, accepted: string): Promise<{ readonly bytes: Buffer; readonly encoding?: 'br' | 'gzip' }> {
  if (!packed) return { bytes: await readFile(file) };
  const takes = taken(accepted);
  if (takes.has('br')) return { bytes: await readFile(file.replace(/gz$/, 'br')), encoding: 'br' };
  if (takes.has('gzip')) return { bytes: await readFile(file), encoding: 'gzip' };
  const plain = unpacked.get(file) ?? readFile(file).then(unpack).catch((error: unknown) => {
    unpacked.delete(file); // Another request reads it again.
    throw error;
  });
  unpacked.set(file, plain);
  return { bytes: await plain };
}

/** The encodings of a header `Accept-Encoding`, without those that it refuses. */
function taken(accepted: string): ReadonlySet<string> {
  return new Set(accepted.split(',').flatMap((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return parameters.some((text) => /^q=0(?:\.0*)?$/.test(text)) ? [] : [name];
  }));
}
