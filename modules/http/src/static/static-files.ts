import { constants, createReadStream } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { treadleError } from '@treadle/api';
import fresh from 'fresh';
import { type ByteRange, requestedRange } from './byte-range.js';
import type { Exchange } from '../request/exchange.js';
import type { StaticMount } from '../http.config.js';
import { contentTypeOf } from './content-types.js';
import { PathPrefix } from '../routing/path-prefix.js';
import { overloaded, rangeNotSatisfiable } from '../response/problem.js';
import type { HeaderList } from '../response/response-headers.js';
import { writePayload } from '../response/result-writer.js';

/** Smaller files are read whole, so that they can be compressed. */
const WHOLE_FILE_BYTES = 1024 * 1024;
const INDEX = 'index.html';

interface Mount {
  readonly prefix: PathPrefix;
  /** Absolute, symbolic links resolved. */
  readonly root: string;
  /** Sent for pages that are no file. */
  readonly fallback: string | undefined;
}

interface FoundFile {
  readonly path: string;
  readonly handle: FileHandle;
  readonly size: number;
  readonly modifiedMs: number;
}

/**
 * Serves the files of `static` mounts: no dot files, nothing outside the folder, conditional and range requests. Not by `send`: it follows
 * links out of the folder, and writes past what every answer goes through here (compression, the limit of memory, log and metrics).
 */
export class StaticFiles {
  private constructor(private readonly mounts: readonly Mount[]) {}

  /**
   * Opens the folders of a config. `path` is the config's position.
   * @throws CONFIG_BAD_VALUE when a folder is not there
   */
  static async open(mounts: readonly StaticMount[], root: string, path: string): Promise<StaticFiles> {
    const opened = mounts.map(async (mount, index) => {
      const folder = join(root, mount.dir);
      const real = await realpath(folder).catch(() => {
        throw treadleError('CONFIG_BAD_VALUE', { path: `${path}.static[${index}].dir`, problem: `there is no folder "${folder}"` });
      });
      if (mount.fallback !== undefined) await requireFile(join(real, mount.fallback), `${path}.static[${index}].fallback`);
      return { prefix: new PathPrefix(mount.path), root: real, fallback: mount.fallback };
    });
    return new StaticFiles(await Promise.all(opened));
  }

  /** Answers with a file, or calls `missing`. */
  serve(exchange: Exchange, missing: () => void): void {
    this.find(exchange).then((found) => (found ? undefined : missing())).catch((error: unknown) => exchange.crash(error));
  }

  private async find(exchange: Exchange): Promise<boolean> {
    for (const { prefix, root } of this.mounts) {
      const segments = prefix.below(exchange.path);
      const file = segments && await openFile(root, segments);
      if (file === 'folder') {
        exchange.send(301, ['location', `${exchange.path}/${exchange.queryText === '' ? '' : `?${exchange.queryText}`}`, 'content-length', 0], undefined);
        return true;
      }
      if (file) {
        await sendFile(exchange, file);
        return true;
      }
    }
    return this.findFallback(exchange);
  }

  private async findFallback(exchange: Exchange): Promise<boolean> {
    if (!asksForPage(exchange)) return false;
    for (const { prefix, root, fallback } of this.mounts) {
      if (fallback === undefined || !prefix.below(exchange.path)) continue;
      const file = await openInside(root, join(root, fallback));
      if (!file) continue;
      await sendFile(exchange, file);
      return true;
    }
    return false;
  }
}

/** A name with an extension is a file that is missing, and what scripts fetch is no page: both are to get their 404. */
function asksForPage({ path, request }: Exchange): boolean {
  return extname(path) === '' && (request.headers.accept ?? '').includes('text/html');
}

/** @throws CONFIG_BAD_VALUE when there is no such file */
async function requireFile(file: string, path: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw treadleError('CONFIG_BAD_VALUE', { path, problem: `there is no file "${file}"` });
}

/** Names that could leave the folder, or that are nobody's business. */
function unsafe(segment: string): boolean {
  return segment.startsWith('.') || segment.includes('/') || segment.includes('\\') || segment.includes('\0');
}

async function openFile(root: string, segments: readonly string[]): Promise<FoundFile | 'folder' | undefined> {
  const names = segments.length > 0 && segments[segments.length - 1] === '' ? segments.slice(0, -1) : segments;
  if (names.some((name) => name === '' || unsafe(name))) return undefined;
  const wantsFolder = names.length !== segments.length || segments.length === 0;
  const found = await openInside(root, wantsFolder ? join(root, ...names, INDEX) : join(root, ...names));
  if (found || wantsFolder) return found;
  const index = await openInside(root, join(root, ...names, INDEX));
  if (!index) return undefined;
  await index.handle.close();
  return 'folder';
}

/** Opens a regular file whose real place lies in `root`; anything else does not exist. */
async function openInside(root: string, path: string): Promise<FoundFile | undefined> {
  let handle: FileHandle | undefined;
  try {
    const real = await realpath(path);
    if (!real.startsWith(root + sep)) return undefined;
    handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const facts = await handle.stat();
    if (facts.isFile()) return { path: real, handle, size: facts.size, modifiedMs: Math.floor(facts.mtimeMs) };
  } catch {
    // Missing, a folder in its place, or not readable: for the client all the same.
  }
  await handle?.close();
  return undefined;
}

async function sendFile(exchange: Exchange, file: FoundFile): Promise<void> {
  const etag = `W/"${file.size.toString(16)}-${file.modifiedMs.toString(16)}"`;
  const contentType = contentTypeOf(extname(file.path));
  const modified = new Date(file.modifiedMs).toUTCString();
  const list: HeaderList = [
    'etag', etag, 'last-modified', modified, 'cache-control', 'public, max-age=0',
    'x-content-type-options', 'nosniff',
  ];
  if (fresh(exchange.request.headers, { etag, 'last-modified': modified })) {
    await file.handle.close();
    exchange.send(304, list, undefined);
    return;
  }
  list.push('content-type', contentType, 'accept-ranges', 'bytes');
  const range = exchange.request.method === 'GET' ? requestedRange(exchange.request.headers, file) : undefined;
  if (range === 'unsatisfiable') {
    await file.handle.close();
    exchange.refuse(rangeNotSatisfiable(file.size));
  } else if (range) {
    sendPart(exchange, file, { list, range });
  } else {
    await sendWhole(exchange, file, { list, contentType });
  }
}

/** Never compressed: the numbers are those of the file as it is. */
function sendPart(exchange: Exchange, { handle, size }: FoundFile, { list, range: { start, end } }: { list: HeaderList; range: ByteRange }): void {
  list.push('content-range', `bytes ${start}-${end}/${size}`, 'content-length', end - start + 1);
  exchange.sendStream(206, list, createReadStream('', { fd: handle, start, end }));
}

async function sendWhole(exchange: Exchange, file: FoundFile, { list, contentType }: { list: HeaderList; contentType: string }): Promise<void> {
  if (file.size <= WHOLE_FILE_BYTES) {
    // Asked before it is read: many who ask and do not read would fill the memory with files.
    if (!exchange.admits(file.size)) {
      await file.handle.close();
      exchange.refuse(overloaded());
      return;
    }
    const payload = await file.handle.readFile();
    await file.handle.close();
    writePayload(exchange, 200, { list, payload, contentType });
    return;
  }
  list.push('content-length', file.size);
  if (exchange.request.method !== 'HEAD') {
    exchange.sendStream(200, list, createReadStream('', { fd: file.handle, end: file.size - 1 }));
    return;
  }
  await file.handle.close();
  exchange.send(200, list, undefined);
}
